#include "analysis/report/report_compare.h"

#include <algorithm>
#include <map>

#include "analysis/say/words.h"

namespace lockstep::analysis {
namespace {

constexpr double kLeastRatio = 1.1;
constexpr uint64_t kLeastSamples = 12;  // fewer cannot give a 99.9 % interval of a median

using Measures = std::map<std::string, const Spread*>;

Measures measures_of(const Report& report) {
  Measures measures;
  for (const SignatureRow& row : report.signatures) {
    const std::string name = row.func + " of " + bytes(row.size_bytes) + ", " +
                             counted(static_cast<uint64_t>(std::max(0, row.nranks)), "rank") +
                             ", " + row.datatype + " " + row.algo + " " + row.proto + " (" +
                             std::to_string(row.size_bytes) + " B, " +
                             kOpKindNames[static_cast<size_t>(row.kind)] + "): ";
    if (row.transfer.count != 0) measures.emplace(name + "transfer", &row.transfer);
    if (row.skew.count != 0) measures.emplace(name + "arrival skew", &row.skew);
  }
  return measures;
}

void compare(const std::string& what, std::vector<const Spread*> before, const Spread& after,
             Comparison* comparison) {
  before.erase(std::remove_if(before.begin(), before.end(),
                              [](const Spread* one) { return one->count < kLeastSamples; }),
               before.end());
  if (before.empty() || after.count < kLeastSamples) {
    ++comparison->too_few;
    return;
  }
  ++comparison->compared;
  std::sort(before.begin(), before.end(),
            [](const Spread* a, const Spread* b) { return a->median_ns < b->median_ns; });
  const auto ratio = [](const Spread& high, const Spread& low) {
    return static_cast<double>(std::max<int64_t>(1, high.median_ns)) /
           static_cast<double>(std::max<int64_t>(1, low.median_ns));
  };
  const double between = ratio(*before.back(), *before.front());
  const double least = std::max(kLeastRatio, between);
  comparison->widest_between = std::max(comparison->widest_between, between);
  const auto beyond_all = [&](const auto& beyond) {
    return std::all_of(before.begin(), before.end(), beyond);
  };
  if (beyond_all([&](const Spread* one) { return after.median_low_ns > one->median_high_ns; }) &&
      ratio(after, *before.back()) >= least)
    comparison->slower.push_back(
        {what, *before.back(), after, ratio(after, *before.back()), between});
  if (beyond_all([&](const Spread* one) { return after.median_high_ns < one->median_low_ns; }) &&
      ratio(*before.front(), after) >= least)
    comparison->faster.push_back(
        {what, *before.front(), after, ratio(after, *before.front()), between});
}

std::string within(const Change& change) {
  if (change.between == 1) return "";
  char text[64];
  std::snprintf(text, sizeof(text), "; the earlier runs differ by x %.2f", change.between);
  return text;
}

std::string lines(const char* word, const std::vector<Change>& changes) {
  std::string text;
  for (const Change& change : changes) {
    char ratio[32];
    std::snprintf(ratio, sizeof(ratio), "%.2f", change.ratio);
    text += std::string(word) + ": " + change.what + " " + duration(change.before.median_ns) +
            " -> " + duration(change.after.median_ns) + " (x " + ratio + within(change) + ")\n";
  }
  return text;
}

}  // namespace

Comparison compare_reports(const std::vector<Report>& before, const Report& after) {
  Comparison comparison;
  comparison.runs = before.size();
  const Measures new_ones = measures_of(after);
  std::map<std::string, std::vector<const Spread*>> old_ones;
  for (const Report& report : before) {
    for (const auto& [what, spread] : measures_of(report)) old_ones[what].push_back(spread);
  }
  for (const auto& [what, spread] : new_ones) {
    const auto found = old_ones.find(what);
    if (found == old_ones.end()) {
      ++comparison.only_after;
    } else {
      compare(what, found->second, *spread, &comparison);
    }
  }
  for (const auto& [what, spreads] : old_ones) comparison.only_before += new_ones.count(what) == 0;
  for (auto* list : {&comparison.slower, &comparison.faster})
    std::sort(list->begin(), list->end(),
              [](const Change& a, const Change& b) { return a.ratio > b.ratio; });
  return comparison;
}

std::string comparison_note(const Comparison& comparison) {
  const std::string text = counted(comparison.compared, "median") + " compared; " +
                           std::to_string(comparison.too_few) + " with too few samples, " +
                           std::to_string(comparison.only_before) + " only in earlier runs, " +
                           std::to_string(comparison.only_after) + " only in this one.\n";
  if (comparison.runs == 1)
    return text +
           "With one earlier run the noise between runs is unknown: compare only runs made under "
           "the "
           "same load, or name several earlier ones.\n";
  char between[32];
  std::snprintf(between, sizeof(between), "%.2f", comparison.widest_between);
  return text + "The medians of the " + std::to_string(comparison.runs) +
         " earlier runs differ by up to x " + between + "; less than that is noise.\n";
}

std::string comparison_text(const Comparison& comparison) {
  std::string text = lines("slower", comparison.slower) + lines("faster", comparison.faster);
  if (comparison.compared == 0)
    text += "Nothing could be compared.\n";
  else if (comparison.slower.empty())
    text += "Nothing became slower beyond noise.\n";
  return text + comparison_note(comparison);
}

}  // namespace lockstep::analysis
