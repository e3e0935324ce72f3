#include "analysis/report/report_facts.h"

#include <algorithm>

#include "analysis/say/findings.h"
#include "analysis/say/names.h"
#include "analysis/say/times.h"
#include "analysis/say/words.h"

namespace lockstep::analysis {
namespace {

std::string name_of(const SignatureRow& row) {
  return row.func + " of " + bytes(row.size_bytes) + " (" +
         counted(static_cast<uint64_t>(std::max(0, row.nranks)), "rank") + ")";
}

// "Most time: AllReduce of 1 MiB (8 ranks), 3.75 s, 40 % of all.", by the largest `value`.
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
         percent(static_cast<double>(value(*most)) / all) + " of all.";
}

// Chance makes somebody come last in every run: who that is, where nobody is accused.
std::string nobody_late(const Report& report) {
  std::string nobody = "Late: no rank is late more often than chance explains.";
  const RankRow* worst = nullptr;
  for (const RankRow& row : report.ranks()) {
    if (worst == nullptr || row.caused_wait_ns > worst->caused_wait_ns) worst = &row;
  }
  if (worst == nullptr || worst->caused_wait_ns == 0) return nobody;
  return nobody + " On " + report.communicator() + " the latest is " + rank_name(worst->rank) +
         ": clearly last in " + counted(worst->late, "operation") + ", the others waited " +
         duration(worst->caused_wait_ns) + " for it in all (" +
         kCauseNames[static_cast<size_t>(worst->cause)] + ").";
}

// One for each who is accused of it.
std::vector<std::string> late_sentences(const RunTables& run, const Judgement& judgement,
                                        const Report& report) {
  std::vector<std::string> late;
  for (const Finding& finding : judgement.findings) {
    if (finding.kind == FindingKind::Straggler)
      late.push_back("Late: " + late_in_short(run, finding));
  }
  if (late.empty())
    late.push_back(run.operations.empty() ? "Late: not known." : nobody_late(report));
  return late;
}

std::array<uint64_t, kLosses> losses_of(const RunTables& run) {
  std::array<uint64_t, kLosses> lost{};
  for (const LedgerRow& row : run.ledger)
    for (size_t i = 0; i < kLosses; ++i) lost[i] += row.lost[i];
  return lost;
}

}  // namespace

int64_t elapsed_of(const OperationRow& op) {
  if (op.finish_ns == kNoTime) return kNoTime;
  for (const int64_t begin : {op.api_start_ns, op.enqueue_ns, op.kernel_start_ns})
    if (begin != kNoTime) return std::max<int64_t>(0, op.finish_ns - begin);
  return kNoTime;
}

std::vector<std::string> answer_sentences(const RunTables& run, const Judgement& judgement,
                                          const Report& report) {
  const auto calls = [](uint64_t n) { return counted(n, "rank call"); };
  std::vector<std::string> answers = {
      dominant(
          report, "operations", [](const SignatureRow& r) { return r.operations; }, calls),
      dominant(
          report, "bytes", [](const SignatureRow& r) { return r.bytes; }, bytes),
      dominant(
          report, "time", [](const SignatureRow& r) { return r.elapsed.sum_ns; }, duration),
      dominant(
          report, "waiting", [](const SignatureRow& r) { return r.wait.sum_ns; }, duration)};
  for (std::string& late : late_sentences(run, judgement, report))
    answers.push_back(std::move(late));
  return answers;
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
  for (const RankRow& row : report.ranks()) caused_ns += row.caused_wait_ns;
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
      {"clock_error_ns", number(widest_clock_error_ns(run))}};
  uint64_t sent = 0, received = 0;
  for (const ChannelRow& row : run.channels) {
    sent += row.sent_bytes;
    received += row.received_bytes;
  }
  out.emplace_back("network_sent_bytes", number(sent));
  out.emplace_back("network_received_bytes", number(received));
  for (size_t i = 0; i < states.size(); ++i)
    out.emplace_back(std::string("operations_") + kOpStateNames[i], number(states[i]));
  const auto lost = losses_of(run);
  for (size_t i = 1; i < kLosses; ++i)
    out.emplace_back(std::string("lost_") + kLossNames[i], number(lost[i]));
  return out;
}

}  // namespace lockstep::analysis
