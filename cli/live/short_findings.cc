#include "cli/live/short_findings.h"

#include <algorithm>
#include <utility>

#include "analysis/say/words.h"
#include "base/number_ranges.h"

namespace lockstep::cli {
namespace {

// The earliest operation of the communicator that ranks have stood in for so long; nullptr: none.
const RankStanding* first_stuck(const CommStandings& comm, int64_t least_ns) {
  const RankStanding* first = nullptr;
  for (const RankStanding& one : comm.standings) {
    if (!one.waiting.known || one.waiting.age_ns < least_ns) continue;
    if (first == nullptr || one.waiting.collectives < first->waiting.collectives) first = &one;
  }
  return first;
}

std::string ranks_text(std::vector<int64_t> ranks) {
  const bool one = ranks.size() == 1;
  return (one ? "rank " : "ranks ") + number_ranges(std::move(ranks));
}

struct ShortFinding {
  int64_t since_ns;
  std::string text;
};

ShortFinding finding_of(const CommStandings& comm, const RankStanding& stuck) {
  std::vector<int64_t> inside, outside;
  ShortFinding finding{stuck.waiting.age_ns, {}};
  for (const RankStanding& one : comm.standings) {
    const bool in_it = one.waiting.known && one.waiting.collectives == stuck.waiting.collectives &&
                       one.waiting.func == stuck.waiting.func;
    if (in_it) {
      inside.push_back(one.rank);
      finding.since_ns = std::max(finding.since_ns, one.waiting.age_ns);
    } else if (one.issued.collectives < stuck.waiting.collectives) {
      outside.push_back(one.rank);
    }
  }
  finding.text = comm_title(comm) + ": " + ranks_text(std::move(inside)) + " in " +
                 mark_text(stuck.waiting) + " for " + analysis::duration(finding.since_ns);
  if (!outside.empty()) {
    const bool one = outside.size() == 1;
    finding.text += "; " + ranks_text(std::move(outside)) +
                    (one ? " has not called it" : " have not called it");
  } else if (static_cast<int64_t>(comm.standings.size()) < comm.ranks) {
    finding.text += "; not all ranks answered";
  } else {
    finding.text += "; all have called it";
  }
  return finding;
}

}  // namespace

std::vector<std::string> short_findings(const std::vector<CommStandings>& comms, int64_t least_ns) {
  std::vector<ShortFinding> findings;
  for (const CommStandings& comm : comms) {
    if (const RankStanding* stuck = first_stuck(comm, least_ns))
      findings.push_back(finding_of(comm, *stuck));
  }
  std::stable_sort(
      findings.begin(), findings.end(),
      [](const ShortFinding& a, const ShortFinding& b) { return a.since_ns > b.since_ns; });
  std::vector<std::string> lines;
  for (ShortFinding& finding : findings) lines.push_back(std::move(finding.text));
  return lines;
}

}  // namespace lockstep::cli
