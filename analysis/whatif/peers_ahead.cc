#include "analysis/whatif/peers_ahead.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

class Leads {
 public:
  Leads(const RunTables& run, const OwnSegments& own, Excesses* excesses)
      : run_(run), own_(own), excesses_(*excesses) {}

  void forgive() {
    uint32_t actor = kNoRow;
    int64_t excess_ns = 0;  // of the actor so far
    std::unordered_map<uint32_t, Lead> leads;
    for (const uint32_t a : own_.order) {
      const Segment& segment = own_.segments[a];
      if (segment.actor != actor) leads.clear();
      actor = segment.actor;
      excess_ns += excesses_.ns[a];
      if (segment.counts && begins_by_kernel(a))
        pass(a, excess_ns, &leads[run_.matches[run_.arrivals[a].match].communicator]);
    }
  }

 private:
  // By how much a rank's peers on one communicator are ahead of it for a reason that is not its own.
  struct Lead {
    int64_t ns = 0;
    uint32_t trial = 0;     // when it was measured
    int64_t excess_ns = 0;  // of the rank, until its last operation there
  };

  // Where a training step begins is not known exactly: what is measured in one holds in the next at most.
  void pass(uint32_t a, int64_t excess_ns, Lead* lead) {
    const uint32_t trial = excesses_.trial[own_.segments[a].launch];
    if (own_.was_queued(a)) {
      lead->ns = 0;
    } else if (!are_peers_queued(a)) {
      lead->ns = std::max<int64_t>(0, lateness_of(a) - (excess_ns - lead->excess_ns));
      lead->trial = trial;
    } else if (trial <= lead->trial + 1) {
      excesses_.ns[a] = std::max<int64_t>(0, excesses_.ns[a] - lead->ns);
    }
    lead->excess_ns = excess_ns;
  }

  bool begins_by_kernel(uint32_t a) const {
    return run_.arrivals[a].basis == ArrivalBasis::KernelStart;
  }
  const MatchRow& match_of(uint32_t a) const { return run_.matches[run_.arrivals[a].match]; }

  bool are_peers_queued(uint32_t a) const {
    const MatchRow& match = match_of(a);
    uint32_t peers = 0, queued = 0;
    for (uint32_t other = match.first_arrival; other < match.first_arrival + match.arrivals;
         ++other) {
      if (other == a || own_.segments[other].actor == kNoRow) continue;
      ++peers;
      queued += begins_by_kernel(other) && own_.was_queued(other) ? 1 : 0;
    }
    return queued * 2 > peers;
  }
  int64_t lateness_of(uint32_t a) const {
    const MatchRow& match = match_of(a);
    std::vector<int64_t> starts_ns;
    for (uint32_t other = match.first_arrival; other < match.first_arrival + match.arrivals;
         ++other) {
      if (other != a && own_.segments[other].actor != kNoRow)
        starts_ns.push_back(own_.segments[other].start_ns);
    }
    return starts_ns.empty() ? 0 : own_.segments[a].start_ns - quantile(&starts_ns, kRoleReference);
  }

  const RunTables& run_;
  const OwnSegments& own_;
  Excesses& excesses_;
};

}  // namespace

void forgive_leads_of_peers(const RunTables& run, const OwnSegments& own, Excesses* excesses) {
  Leads(run, own, excesses).forgive();
}

}  // namespace lockstep::analysis
