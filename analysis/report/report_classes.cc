#include "analysis/report/report_classes.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/report/report_facts.h"
#include "analysis/say/table_coverage.h"
#include "analysis/say/words.h"
#include "analysis/tables/classes.h"
#include "analysis/tables/operation_address.h"
#include "base/csv_field.h"

namespace lockstep::analysis {
namespace {

constexpr size_t kClassLines = 20, kCommunicatorLines = 20;

struct ClassSum {
  ClassRow row;
  uint32_t slowest = kNoRow;
  int64_t slowest_ns = kNoTime;
};

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

}  // namespace

std::vector<ClassRow> operation_classes(const RunTables& run) {
  using ClassKey = std::tuple<CommRole, Reach, Text, size_t, Text, Text>;
  std::map<ClassKey, ClassSum> sums;
  std::vector<Reach> reaches;
  for (const CommunicatorRow& row : run.communicators) reaches.push_back(reach_of(run, row));
  std::vector<int64_t> wait_ns(run.operations.size());
  for (const ArrivalRow& arrival : run.arrivals) {
    if (arrival.operation < wait_ns.size() && arrival.wait_ns != kNoTime)
      wait_ns[arrival.operation] = arrival.wait_ns;
  }
  for (uint32_t i = 0; i < run.operations.size(); ++i) {
    const OperationRow& op = run.operations[i];
    if (op.assembled != kNoRow) continue;  // the whole is counted
    const bool known = op.communicator < run.communicators.size();
    const CommRole role = known ? run.communicators[op.communicator].role : CommRole::Unknown;
    const Reach reach = known ? reaches[op.communicator] : Reach::Unknown;
    const size_t size = size_class_of(op.size_bytes);
    ClassSum& sum = sums[{role, reach, op.func, size, op.algo, op.proto}];
    ClassRow& row = sum.row;
    if (row.operations++ == 0) {
      row.role = known_word(role);
      row.reach = known_word(reach);
      row.func = run.text(op.func);
      row.size_class = kSizeClasses[size].name;
      row.algo = run.text(op.algo);
      row.proto = run.text(op.proto);
    }
    row.bytes += op.size_bytes;
    row.wait_ns += wait_ns[i];
    const int64_t elapsed_ns = elapsed_of(op);
    if (elapsed_ns != kNoTime) row.elapsed_ns += elapsed_ns;
    if (sum.slowest == kNoRow || elapsed_ns > sum.slowest_ns) {
      sum.slowest = i;
      sum.slowest_ns = elapsed_ns;
    }
  }
  std::vector<ClassRow> rows;
  for (auto& [key, sum] : sums) {
    sum.row.example = operation_address(run, run.operations[sum.slowest]);
    rows.push_back(std::move(sum.row));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const ClassRow& a, const ClassRow& b) {
    return a.elapsed_ns > b.elapsed_ns;
  });
  return rows;
}

SaidTable classes_table(const std::vector<ClassRow>& classes) {
  SaidTable table;
  table.title = "Classes of operations";
  table.words =
      "By the role of their communicator, whether it lies inside one host, and their size.";
  if (classes.size() > kClassLines) table.words += " The others are in classes.csv.";
  table.columns = {"role",       "hosts", "function", "size",   "algorithm",
                   "rank calls", "bytes", "time",     "waiting"};
  table.rests = kOnEnds | kOnWaits;
  for (size_t i = 0; i < classes.size() && i < kClassLines; ++i) {
    const ClassRow& row = classes[i];
    table.rows.push_back({or_dash(row.role), or_dash(row.reach), row.func, row.size_class,
                          row.algo.empty() ? "-" : row.algo + " " + row.proto,
                          std::to_string(row.operations), bytes(row.bytes),
                          duration(row.elapsed_ns), duration(row.wait_ns)});
  }
  return table;
}

SaidTable communicators_table(const std::vector<CommRanks>& communicators,
                              const std::vector<Capability>& capabilities) {
  SaidTable table;
  table.title = "Communicators";
  table.words = "What each is for is a guess, from its name or from its members and their calls.";
  if (communicators.size() > kCommunicatorLines)
    table.words += " Those with fewer operations are in spread.csv.";
  table.columns = {"communicator", "ranks", "recorded", "role",       "because",           "hosts",
                   "rank calls",   "bytes", "time",     "ends known", "with network steps"};
  table.rests = kOnEnds | kOnNetwork;
  for (size_t i = 0; i < communicators.size() && i < kCommunicatorLines; ++i) {
    const CommRanks& one = communicators[i];
    const Capability& known = capabilities[one.communicator];
    const auto share = [&](uint64_t some) {
      return known.operations == 0
                 ? "-"
                 : percent(static_cast<double>(some) / static_cast<double>(known.operations));
    };
    table.rows.push_back(
        {one.label, std::to_string(one.nranks), std::to_string(known.recorded_ranks),
         or_dash(one.role), or_dash(one.role_reason), or_dash(one.reach),
         std::to_string(one.operations), bytes(one.bytes), duration(one.elapsed_ns),
         share(known.with_end), share(known.with_steps)});
  }
  return table;
}

std::string report_classes_csv(const Report& report) {
  std::string text =
      "role,reach,func,size_class,algo,proto,operations,bytes,elapsed_ns,wait_ns,example\n";
  for (const ClassRow& row : report.classes) {
    for (const std::string* cell :
         {&row.role, &row.reach, &row.func, &row.size_class, &row.algo, &row.proto})
      text += csv_field(*cell) + ',';
    text += std::to_string(row.operations) + ',' + std::to_string(row.bytes) + ',' +
            std::to_string(row.elapsed_ns) + ',' + std::to_string(row.wait_ns) + ',' +
            csv_field(row.example) + '\n';
  }
  return text;
}

}  // namespace lockstep::analysis
