#include "analysis/report_compare.h"

#include <algorithm>
#include <map>

#include "analysis/report_text.h"

namespace lockstep::analysis {
namespace {

constexpr double kLeastRatio = 1.1;
constexpr uint64_t kLeastSamples = 12;  // fewer cannot give a 99.9 % interval of a median

using Measures = std::map<std::string, const Spread*>;

Measures measures_of(const Report& report) {
  Measures measures;
  for (const SignatureRow& row : report.signatures) {
    const std::string name = row.func + " of " + bytes_text(row.size_bytes) + ", " +
                             std::to_string(row.nranks) + " ranks, " + row.datatype + " " +
                             row.algo + " " + row.proto + " (" + std::to_string(row.size_bytes) +
                             " B, " + kOpKindNames[static_cast<size_t>(row.kind)] + "): ";
    if (row.transfer.count != 0) measures.emplace(name + "transfer", &row.transfer);
    if (row.skew.count != 0) measures.emplace(name + "arrival skew", &row.skew);
  }
  return measures;
}

void compare(const std::string& what, const Spread& before, const Spread& after,
             Comparison* comparison) {
  if (before.count < kLeastSamples || after.count < kLeastSamples) {
    ++comparison->too_few;
    return;
  }
  ++comparison->compared;
  const double ratio = static_cast<double>(std::max<int64_t>(1, after.median_ns)) /
                       static_cast<double>(std::max<int64_t>(1, before.median_ns));
  if (after.median_low_ns > before.median_high_ns && ratio >= kLeastRatio)
    comparison->slower.push_back({what, before, after, ratio});
  if (after.median_high_ns < before.median_low_ns && ratio <= 1 / kLeastRatio)
    comparison->faster.push_back({what, before, after, ratio});
}

std::string lines(const char* word, const std::vector<Change>& changes) {
  std::string text;
  for (const Change& change : changes) {
    char ratio[32];
    std::snprintf(ratio, sizeof(ratio), "%.2f", change.ratio);
    text += std::string(word) + ": " + change.what + " " + duration_text(change.before.median_ns) +
            " -> " + duration_text(change.after.median_ns) + " (x " + ratio + ")\n";
  }
  return text;
}

}  // namespace

Comparison compare_reports(const Report& before, const Report& after) {
  Comparison comparison;
  const Measures old_ones = measures_of(before), new_ones = measures_of(after);
  for (const auto& [what, spread] : new_ones) {
    const auto found = old_ones.find(what);
    if (found == old_ones.end()) {
      ++comparison.only_after;
    } else {
      compare(what, *found->second, *spread, &comparison);
    }
  }
  for (const auto& [what, spread] : old_ones) comparison.only_before += new_ones.count(what) == 0;
  for (auto* list : {&comparison.slower, &comparison.faster})
    std::sort(list->begin(), list->end(),
              [](const Change& a, const Change& b) { return a.ratio > b.ratio; });
  return comparison;
}

std::string comparison_text(const Comparison& comparison) {
  std::string text = lines("slower", comparison.slower) + lines("faster", comparison.faster);
  if (comparison.slower.empty()) text += "Nothing became slower beyond noise.\n";
  return text + std::to_string(comparison.compared) + " medians compared; " +
         std::to_string(comparison.too_few) + " with too few samples, " +
         std::to_string(comparison.only_before) + " only in the other run, " +
         std::to_string(comparison.only_after) + " only in this one.\n";
}

}  // namespace lockstep::analysis
