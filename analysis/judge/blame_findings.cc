#include "analysis/judge/blame_findings.h"

#include <algorithm>

namespace lockstep::analysis {
namespace {

// The operations that Straggler::late counts, the worst first.
std::vector<const LateOperation*> late_operations_of(const RunTables& run,
                                                     const std::vector<LateOperation>& all,
                                                     const Straggler& straggler) {
  std::vector<const LateOperation*> own;
  for (const LateOperation& late : all) {
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

LateFacts facts_of(const RunTables& run, const Straggler& straggler, size_t elsewhere) {
  const RankBlame& latest = *straggler.ranks.front();
  LateFacts facts;
  facts.host = run.processes[latest.process].host;
  facts.whole_host = straggler.whole_host;
  facts.late = straggler.late;
  facts.operations = latest.operations;
  facts.typical_ns = straggler.typical_ns;
  facts.caused_wait_ns = straggler.caused_wait_ns;
  facts.cause = latest.cause;
  facts.passed_on = straggler.passed_on;
  facts.passed_on_wait_ns = straggler.passed_on_wait_ns;
  facts.elsewhere = static_cast<uint32_t>(elsewhere);
  return facts;
}

}  // namespace

Finding straggler_finding(const RunTables& run, const std::vector<LateOperation>& late,
                          const Straggler& straggler,
                          const std::vector<const RankBlame*>& elsewhere) {
  Finding finding;
  finding.kind = FindingKind::Straggler;
  finding.communicator = straggler.ranks.front()->communicator;
  for (const RankBlame* blame : straggler.ranks) finding.culprits.push_back(blame->rank);
  std::sort(finding.culprits.begin(), finding.culprits.end());
  finding.since_s = static_cast<double>(straggler.excess_ns) * 1e-9;
  finding.confidence = std::min(0.99, straggler.surplus * (straggler.late >= 10 ? 1.0 : 0.9));
  const std::vector<const LateOperation*> own = late_operations_of(run, late, straggler);
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
    finding.evidence.emplace_back(LateArrival{*own[i]});
  for (const RankBlame* other : elsewhere) finding.evidence.emplace_back(LateElsewhere{*other});
  finding.facts = facts_of(run, straggler, elsewhere.size());
  return finding;
}

Finding slow_path_finding(const RunTables& run, const SlowPath& path) {
  Finding finding;
  const bool link = path.cause == Cause::NetworkSlow;
  finding.kind = link ? FindingKind::SlowLink : FindingKind::SlowProxy;
  finding.communicator = path.communicator;
  finding.culprits = path.ranks;
  std::sort(finding.culprits.begin(), finding.culprits.end());
  finding.since_s = static_cast<double>(path.lost_ns) * 1e-9;
  finding.confidence = std::min(0.95, 0.5 + 0.1 * path.factor);
  SlowColumn column;
  column.name = path.never_waits ? SlowColumn::Name::Waits
                : link           ? SlowColumn::Name::Network
                                 : SlowColumn::Name::ProxyLag;
  column.rank = path.ranks.front();
  column.own_ns = path.typical_ns;
  column.others_ns = path.others_ns;
  column.operations = path.operations;
  finding.evidence.emplace_back(column);
  PathFacts facts;
  facts.host = run.processes[path.processes.front()].host;
  facts.never_waits = path.never_waits;
  facts.factor = path.factor;
  facts.own_ns = path.typical_ns;
  facts.others_ns = path.others_ns;
  finding.facts = facts;
  return finding;
}

}  // namespace lockstep::analysis
