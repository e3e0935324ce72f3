#include "analysis/judge/blame_findings.h"

#include <algorithm>
#include <cstdio>

#include "analysis/judge/verdict.h"

namespace lockstep::analysis {
namespace {

std::string operations(uint64_t count) {
  return std::to_string(count) + (count == 1 ? " operation" : " operations");
}

// The operations that Straggler::late counts, the worst first.
std::vector<const LateOperation*> late_operations_of(const RunTables& run, const Blame& all,
                                                     const Straggler& straggler) {
  std::vector<const LateOperation*> own;
  for (const LateOperation& late : all.late) {
    const int32_t rank = run.arrivals[late.arrival].rank;
    for (const RankBlame* blame : straggler.ranks) {
      if (late.origin == late.match && late.excess_ns * 2 >= blame->typical_ns &&
          blame->rank == rank && run.matches[late.match].communicator == blame->communicator) {
        own.push_back(&late);
      }
    }
  }
  std::sort(own.begin(), own.end(), [](const LateOperation* a, const LateOperation* b) {
    return a->excess_ns > b->excess_ns;
  });
  return own;
}

std::string evidence_of(const RunTables& run, const LateOperation& late) {
  const ArrivalRow& arrival = run.arrivals[late.arrival];
  return "matches: " + operation_name(run, run.operations[arrival.operation]) + ", rank " +
         std::to_string(arrival.rank) + " came " + nanoseconds_text(late.excess_ns) +
         " after the median of the others (" + kCauseNames[static_cast<unsigned>(late.cause)] +
         "), row " + std::to_string(late.match) + " of " +
         std::to_string(run.matches[late.match].arrivals) + " ranks";
}

std::string elsewhere_text(const RunTables& run, const RankBlame& blame) {
  return "late on communicator " + communicator_name(run, blame.communicator) + " as rank " +
         std::to_string(blame.rank) + ": in " + std::to_string(blame.late) + " of " +
         operations(blame.operations) + ", typically by " + nanoseconds_text(blame.typical_ns);
}

}  // namespace

Finding straggler_finding(const RunTables& run, const Blame& all, const Straggler& straggler,
                          const std::vector<const RankBlame*>& elsewhere) {
  const RankBlame& latest = *straggler.ranks.front();
  Finding finding;
  finding.kind = "straggler";
  finding.communicator = latest.communicator;
  for (const RankBlame* blame : straggler.ranks) finding.culprits.push_back(blame->rank);
  std::sort(finding.culprits.begin(), finding.culprits.end());
  finding.since_s = static_cast<double>(straggler.excess_ns) * 1e-9;
  finding.confidence = std::min(0.99, straggler.surplus * (straggler.late >= 10 ? 1.0 : 0.9));
  const std::vector<const LateOperation*> own = late_operations_of(run, all, straggler);
  const MatchRow& match = run.matches[own.front()->match];
  finding.func = match.func;
  finding.ordinal = match.ordinal;
  for (uint32_t i = match.first_arrival; i < match.first_arrival + match.arrivals; ++i) {
    const int32_t rank = run.arrivals[i].rank;
    if (!std::binary_search(finding.culprits.begin(), finding.culprits.end(), rank))
      finding.ranks.push_back(rank);
  }
  constexpr size_t kMostEvidence = 100;
  for (size_t i = 0; i < own.size() && i < kMostEvidence; ++i)
    finding.evidence.push_back(evidence_of(run, *own[i]));
  for (const RankBlame* other : elsewhere)
    finding.evidence.push_back("communicators: " + elsewhere_text(run, *other));
  const bool one = finding.culprits.size() == 1;
  finding.text = rank_list(finding.culprits) + " of communicator " +
                 communicator_name(run, latest.communicator);
  finding.text[0] = 'R';
  if (!one)
    finding.text += (straggler.whole_host ? ", all it has on host " : ", on host ") +
                    run.text(run.processes[latest.process].host) + ",";
  finding.text +=
      " came last and late in " + std::to_string(straggler.late) + " of " +
      operations(latest.operations) + ", typically by " + nanoseconds_text(straggler.typical_ns) +
      " (" + kCauseNames[static_cast<unsigned>(latest.cause)] + "); the others waited " +
      nanoseconds_text(straggler.caused_wait_ns) + " for " + (one ? "it" : "them") + " in all.";
  if (straggler.passed_on != 0)
    finding.text += " So held up, others were late for " + operations(straggler.passed_on) +
                    " themselves (peer_late), which cost another " +
                    nanoseconds_text(straggler.passed_on_wait_ns) + ".";
  if (!elsewhere.empty())
    finding.text += (one ? " It is as late on " : " They are as late on ") +
                    std::to_string(elsewhere.size()) +
                    (elsewhere.size() == 1 ? " other communicator." : " other communicators.");
  return finding;
}

Finding slow_path_finding(const RunTables& run, const SlowPath& path) {
  Finding finding;
  const bool link = path.cause == Cause::NetworkSlow;
  finding.kind = link ? "slow_link" : "slow_proxy";
  finding.communicator = path.communicator;
  finding.culprits = path.ranks;
  std::sort(finding.culprits.begin(), finding.culprits.end());
  finding.since_s = static_cast<double>(path.lost_ns) * 1e-9;
  finding.confidence = std::min(0.95, 0.5 + 0.1 * path.factor);
  char factor[32];
  snprintf(factor, sizeof factor, "%.1f", path.factor);
  const std::string own = nanoseconds_text(path.typical_ns);
  const std::string others = nanoseconds_text(path.others_ns);
  const bool one = path.ranks.size() == 1;
  const std::string host = run.text(run.processes[path.processes.front()].host);
  const std::string who = rank_list(finding.culprits) + (one ? "" : " (host " + host + ")");
  const char* column = path.never_waits ? " gpu_wait_ns + receive_wait_ns + peer_wait_ns median "
                       : link           ? " network_ns lower quartile "
                                        : " proxy_lag_ns lower quartile ";
  finding.evidence.push_back("operations: rank " + std::to_string(path.ranks.front()) + column +
                             own + " per operation, the other ranks' " + others + ", over " +
                             std::to_string(path.operations) + " operations");
  if (path.never_waits) {
    finding.text =
        "Everybody waits for " + who + ", which never waits itself: its proxy thread falls behind";
  } else if (link) {
    finding.text = "What " + who + (one ? " sends takes " : " send takes ") + factor +
                   " times as long in the network as the others' sends";
  } else {
    finding.text = (one ? "The proxy thread of " : "The proxy threads of ") + who +
                   (one ? " reacts " : " react ") + factor + " times as slowly as the others'";
  }
  finding.text += " on communicator " + communicator_name(run, path.communicator) + " (" + own +
                  " per operation against " + others + ").";
  return finding;
}

}  // namespace lockstep::analysis
