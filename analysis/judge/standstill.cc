#include "analysis/judge/standstill.h"

#include <algorithm>
#include <map>

#include "analysis/waits/usual_calls.h"

namespace lockstep::analysis {
namespace {

// A checkpoint or an evaluation takes as long as any before it, but not three times as long.
constexpr int64_t kLeastStandstillNs = 5'000'000'000, kLongerThanUsual = 3;
// Fewer calls do not tell what pauses are usual.
constexpr uint64_t kFewestCalls = 20;

// Of one process. The first calls set up connections, and what lies between them is no usual pause.
struct Calls {
  uint64_t count = 0;
  int64_t last_ns = kNoTime, longest_pause_ns = 0;

  void add(int64_t at_ns) {
    if (at_ns == kNoTime) return;
    if (count > 1) longest_pause_ns = std::max(longest_pause_ns, at_ns - last_ns);
    last_ns = std::max(last_ns, at_ns);
    ++count;
  }
};

// Whoever closed its recording or gave up a communicator was on its way out.
bool somebody_left(const RunTables& run) {
  return std::any_of(run.processes.begin(), run.processes.end(),
                     [](const ProcessRow& process) { return process.life == Life::Ended; }) ||
         std::any_of(run.members.begin(), run.members.end(),
                     [](const MemberRow& member) { return member.finalize_ns != kNoTime; });
}

bool by_calls_alone(const RunTables& run) {
  return std::all_of(run.operations.begin(), run.operations.end(), [](const OperationRow& row) {
    return row.state == OpState::Enqueued || row.state == OpState::Captured;
  });
}

// The last collective on the communicator with most ranks: who it is that stands still.
uint32_t last_of_largest(const RunTables& run) {
  uint32_t last = kNoRow;
  for (uint32_t i = 0; i < run.operations.size(); ++i) {
    const OperationRow& row = run.operations[i];
    if (row.communicator == kNoRow || row.position == kNoRow) continue;
    const auto place = [&](const OperationRow& one) {
      return std::pair(run.communicators[one.communicator].nranks, one.called_ns());
    };
    if (last == kNoRow || place(row) > place(run.operations[last])) last = i;
  }
  return last;
}

int32_t rank_of(const RunTables& run, uint32_t communicator, uint32_t process) {
  const CommunicatorRow& comm = run.communicators[communicator];
  for (uint32_t i = comm.first_member; i < comm.first_member + comm.members; ++i) {
    if (run.members[i].process == process) return run.members[i].rank;
  }
  return -1;
}

// A few ranks that called operations of two communicators in another order than ever before, and than
// the others: they wait for each other.
void accuse_strays(const RunTables& run, Finding* finding) {
  auto facts = std::get<StallFacts>(finding->facts);
  const std::vector<Stray> strays = last_strays(run, Sizes::Compared);
  std::vector<int32_t> culprits;
  for (uint32_t process = 0; process < strays.size(); ++process) {
    const auto [first, second] = strays[process];
    if (first == kNoRow) continue;
    const int32_t rank = rank_of(run, finding->communicator, process);
    if (rank < 0) return;
    if (culprits.empty()) facts.circle = {first, second};
    culprits.push_back(rank);
  }
  if (culprits.empty() || 2 * culprits.size() >= strays.size()) return;
  std::sort(culprits.begin(), culprits.end());
  finding->kind = FindingKind::Deadlock;
  finding->culprits = facts.named = culprits;
  finding->confidence = 0.8;
  facts.clue = StallClue::Circle;
  finding->facts = facts;
}

// Nobody has called anything for so long; and what was the longest such time before.
struct QuietTime {
  int64_t ns = 0, usual_ns = 0;
};
std::optional<QuietTime> quiet_time_of(const RunTables& run) {
  if (run.operations.empty() || somebody_left(run) || !by_calls_alone(run)) return std::nullopt;
  std::vector<Calls> calls(run.processes.size());
  for (const OperationRow& row : run.operations) calls[row.process].add(row.called_ns());
  // On each clock by itself, since the last call of anybody.
  struct Quiet {
    int64_t since_ns = kNoTime, until_ns = kNoTime;
  };
  std::map<uint64_t, Quiet> clocks;
  int64_t usual_ns = 0;
  for (size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].count < kFewestCalls) return std::nullopt;
    usual_ns = std::max(usual_ns, calls[i].longest_pause_ns);
    Quiet& quiet = clocks[clock_key(run.processes[i])];
    quiet.since_ns = std::max(quiet.since_ns, calls[i].last_ns);
    quiet.until_ns = std::max(quiet.until_ns, run.processes[i].heard_ns);
  }
  int64_t shortest_ns = INT64_MAX;
  for (const auto& [clock, quiet] : clocks)
    shortest_ns = std::min(shortest_ns, quiet.until_ns - quiet.since_ns);
  if (shortest_ns < std::max(kLeastStandstillNs, kLongerThanUsual * usual_ns)) return std::nullopt;
  return QuietTime{shortest_ns, usual_ns};
}

}  // namespace

bool stands_still(const RunTables& run) { return quiet_time_of(run).has_value(); }

std::optional<Finding> find_standstill(const RunTables& run) {
  const std::optional<QuietTime> quiet = quiet_time_of(run);
  const uint32_t last = last_of_largest(run);
  if (!quiet || last == kNoRow) return std::nullopt;

  Finding finding;
  finding.kind = FindingKind::Standstill;
  finding.communicator = run.operations[last].communicator;
  finding.func = run.operations[last].func;
  finding.ordinal = run.operations[last].ordinal;
  for (int32_t rank = 0; rank < run.communicators[finding.communicator].nranks; ++rank)
    finding.ranks.push_back(rank);
  finding.since_s = static_cast<double>(quiet->ns) * 1e-9;
  finding.confidence = 0.6;  // it may do something without NCCL
  StallFacts facts;
  facts.clue = StallClue::NobodyCalls;
  facts.operation = last;
  facts.by_calls = true;
  facts.usual_pause_ns = quiet->usual_ns;
  finding.facts = facts;
  accuse_strays(run, &finding);
  return finding;
}

}  // namespace lockstep::analysis
