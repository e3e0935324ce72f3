// What a report says in sentences and in single numbers.
#include "analysis/report/report_facts.h"

#include <algorithm>
#include <set>

#include "analysis/report/report_text.h"
#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

std::string percent_of(double part, double whole) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.0f %%", whole > 0 ? part * 100 / whole : 0.0);
  return text;
}

std::string name_of(const SignatureRow& row) {
  return row.func + " of " + bytes_text(row.size_bytes) + " (" + std::to_string(row.nranks) +
         " ranks)";
}

// "AllReduce of 1 MiB (8 ranks): 400 of 1000 operations, 40 %", by the largest `value`.
template <typename Value, typename Print>
std::string dominant(const Report& report, const char* what, Value value, Print print) {
  const SignatureRow* most = nullptr;
  double all = 0;
  for (const SignatureRow& row : report.signatures) {
    if (row.kind == OpKind::Assembled) continue;  // its sends and receives are counted
    all += static_cast<double>(value(row));
    if (most == nullptr || value(row) > value(*most)) most = &row;
  }
  if (most == nullptr || all <= 0) return std::string("Most ") + what + ": not known.";
  return std::string("Most ") + what + ": " + name_of(*most) + ", " + print(value(*most)) + ", " +
         percent_of(static_cast<double>(value(*most)), all) + " of all.";
}

// Late is who diagnose accuses; chance makes somebody come last in every run.
std::string lateness(const Report& report) {
  const RankRow* worst = nullptr;
  for (const RankRow& row : report.ranks) {
    if (row.caused_wait_ns == 0) continue;
    if (worst == nullptr || row.accused > worst->accused ||
        (row.accused == worst->accused && row.caused_wait_ns > worst->caused_wait_ns))
      worst = &row;
  }
  if (worst == nullptr)
    return "Late: no rank of " + report.communicator + " is clearly later than the others.";
  const std::string did =
      "rank " + std::to_string(worst->rank) + (worst->accused ? " of " + report.communicator : "") +
      " came clearly last in " + std::to_string(worst->late) +
      " operations and made the others wait " + duration_text(worst->caused_wait_ns) + " in all (" +
      kCauseNames[static_cast<size_t>(worst->cause)] + ").";
  if (worst->accused) return "Late: " + did;
  return "Late: no rank of " + report.communicator + " more than chance would give; the most, " +
         did;
}

void count_sentence(uint64_t count, const char* text, std::vector<std::string>* out) {
  if (count != 0) out->push_back(std::to_string(count) + text);
}

std::array<uint64_t, kLosses> losses_of(const RunTables& run) {
  std::array<uint64_t, kLosses> lost{};
  for (const LedgerRow& row : run.ledger)
    for (size_t i = 0; i < kLosses; ++i) lost[i] += row.lost[i];
  return lost;
}

int64_t widest_error(const RunTables& run) {
  int64_t widest = 0;
  for (const ArrivalRow& row : run.arrivals) widest = std::max(widest, row.clock_error_ns);
  return widest;
}

// Median over arrivals that are compared between hosts.
int64_t usual_error(const RunTables& run) {
  std::vector<int64_t> errors;
  for (const ArrivalRow& row : run.arrivals) {
    if (row.clock_error_ns != 0) errors.push_back(row.clock_error_ns);
  }
  return median(&errors);
}

}  // namespace

std::string clock_sentence(const RunTables& run) {
  std::set<Text> hosts;
  for (const ProcessRow& process : run.processes) hosts.insert(process.host);
  const std::string count = std::to_string(hosts.size());
  if (hosts.size() <= 1)
    return "Times: all processes ran on one host and read one clock, so times of ranks compare "
           "exactly (+- 0 ns between processes).";
  if (run.aligned)
    return "Times: aligned, " + count +
           " hosts on one clock; times of two hosts compare within +- " +
           duration_text(usual_error(run)) + " typically, " + duration_text(widest_error(run)) +
           " at worst (guaranteed).";
  return "Times: not aligned. The clocks of the " + count +
         " hosts cannot all be compared; waits hold inside each host only. `lockstep align` says "
         "why.";
}

std::vector<std::string> coverage_sentences(const RunTables& run, const Diagnosis& diagnosis) {
  std::vector<std::string> out;
  const auto lost = losses_of(run);
  const char* reasons[kLosses] = {"",
                                  " calls were not recorded because their kind is switched off.",
                                  " calls were not recorded because the memory cap was reached.",
                                  " repeats that say nothing new were counted, not recorded.",
                                  " records were given up for the disk limit or a full disk.",
                                  " calls of a kind this version does not know were not recorded."};
  for (size_t i = 1; i < kLosses; ++i) count_sentence(lost[i], reasons[i], &out);
  uint64_t endless = 0, suspect = 0, damaged = 0, partial = 0, apart = 0;
  for (const OperationRow& op : run.operations) {
    endless += op.state == OpState::Enqueued;
    suspect += (op.flags & kSuspectGpuTime) != 0;
  }
  for (const ProcessRow& process : run.processes) damaged += process.damaged_chunks;
  for (const MatchRow& match : run.matches) {
    partial += match.arrivals < match.expected;
    apart += match.comparable == 0;
  }
  count_sentence(endless, " operations have no known end: nothing recorded tells when they ended.",
                 &out);
  count_sentence(suspect, " operations have GPU times that contradict the host's; not used.", &out);
  count_sentence(damaged, " chunks of the recording are damaged and were skipped.", &out);
  count_sentence(partial, " matched operations lack some of their ranks in the recording.", &out);
  count_sentence(apart, " matched operations have ranks on clocks that cannot be compared.", &out);
  std::set<std::string> said;
  for (const auto* list : {&run.notes, &diagnosis.not_known})
    for (const std::string& sentence : *list)
      if (said.insert(sentence).second) out.push_back(sentence);
  return out;
}

std::vector<std::string> answer_sentences(const Report& report) {
  const auto count = [](uint64_t n) { return std::to_string(n) + " calls of ranks"; };
  return {
      dominant(
          report, "operations", [](const SignatureRow& r) { return r.operations; }, count),
      dominant(
          report, "bytes", [](const SignatureRow& r) { return r.bytes; }, bytes_text),
      dominant(
          report, "time", [](const SignatureRow& r) { return r.elapsed.sum_ns; }, duration_text),
      dominant(
          report, "waiting", [](const SignatureRow& r) { return r.wait.sum_ns; }, duration_text),
      lateness(report)};
}

std::vector<std::pair<std::string, std::string>> metrics_of(const RunTables& run,
                                                            const Report& report) {
  uint64_t operations = 0, assembled = 0, bytes = 0;
  int64_t elapsed_ns = 0, wait_ns = 0, transfer_ns = 0, caused_ns = 0;
  std::array<uint64_t, 6> states{};
  for (const SignatureRow& row : report.signatures) {
    if (row.kind == OpKind::Assembled) {
      assembled += row.operations;
      continue;
    }
    operations += row.operations;
    bytes += row.bytes;
    elapsed_ns += row.elapsed.sum_ns;
    wait_ns += row.wait.sum_ns;
    transfer_ns += row.transfer.sum_ns;
    for (size_t i = 0; i < states.size(); ++i) states[i] += row.states[i];
  }
  for (const RankRow& row : report.ranks) caused_ns += row.caused_wait_ns;
  const auto number = [](auto value) { return std::to_string(value); };
  std::vector<std::pair<std::string, std::string>> out = {
      {"processes", number(run.processes.size())},
      {"communicators", number(run.communicators.size())},
      {"operations", number(operations)},
      {"operations_assembled", number(assembled)},
      {"matches", number(run.matches.size())},
      {"bytes", number(bytes)},
      {"elapsed_ns", number(elapsed_ns)},
      {"wait_ns", number(wait_ns)},
      {"transfer_ns", number(transfer_ns)},
      {"caused_wait_ns", number(caused_ns)},
      {"findings", number(report.findings.size())},
      {"aligned", run.aligned ? "1" : "0"},
      {"clock_error_ns", number(widest_error(run))}};
  for (size_t i = 0; i < states.size(); ++i)
    out.emplace_back(std::string("operations_") + kOpStateNames[i], number(states[i]));
  const auto lost = losses_of(run);
  for (size_t i = 1; i < kLosses; ++i)
    out.emplace_back(std::string("lost_") + kLossNames[i], number(lost[i]));
  return out;
}

}  // namespace lockstep::analysis
