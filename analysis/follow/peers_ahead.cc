#include "analysis/follow/peers_ahead.h"

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <vector>

namespace lockstep::analysis {
namespace {

class Leads {
 public:
  Leads(const RunTables& run, const OwnSegments& own, Excesses* excesses)
      : run_(run), own_(own), excesses_(*excesses) {}

  void forgive() {
    look_at_matches();
    uint32_t actor = kNoRow;
    int64_t excess_ns = 0;  // of the actor so far
    std::unordered_map<uint32_t, Lead> leads;
    for (const uint32_t a : own_.order) {
      const Segment& segment = own_.segments[a];
      if (segment.actor != actor) leads.clear();
      actor = segment.actor;
      excess_ns += excesses_.ns[a];
      if (segment.counts && begins_by_kernel(a) && has_peers(a))
        pass(a, excess_ns, &leads[run_.matches[run_.arrivals[a].match].communicator]);
    }
  }

 private:
  // By how much a rank's peers on one communicator are ahead of it.
  struct Lead {
    int64_t ns = 0;            // for a reason that is not its own,
    int64_t own_ns = 0;        // and that is
    double part_too_long = 0;  // of what it took itself before that, what was too long
    uint32_t trial = 0;        // when it was measured
    int64_t excess_ns = 0;     // of the rank, until its last operation there
  };

  struct OfMatch {
    size_t first = 0, ranks = 0, queued = 0;  // first: of starts_ns_
  };

  // Where a training step begins is not known exactly: what is measured in one holds in the next at most.
  void pass(uint32_t a, int64_t excess_ns, Lead* lead) {
    const uint32_t trial = excesses_.trial[own_.segments[a].launch];
    const Segment& segment = own_.segments[a];
    const int64_t own_excess_ns = excess_ns - lead->excess_ns;
    int64_t& at_hand_ns = excesses_.ns[a];
    if (own_.was_queued(a)) {
      *lead = Lead();
    } else if (!are_peers_queued(a)) {
      const int64_t late_ns = std::max<int64_t>(0, lateness_of(a));
      lead->ns = std::max<int64_t>(0, late_ns - own_excess_ns);
      lead->own_ns = std::min(late_ns, own_excess_ns);
      lead->part_too_long =
          segment.own_ns > 0 ? static_cast<double>(at_hand_ns) / static_cast<double>(segment.own_ns)
                             : 1;
      lead->trial = trial;
    } else if (trial <= lead->trial + 1) {
      at_hand_ns = std::max<int64_t>(0, at_hand_ns - lead->ns);
      if (lead->own_ns >= segment.own_ns)
        at_hand_ns = std::min(
            at_hand_ns,
            static_cast<int64_t>(lead->part_too_long * static_cast<double>(segment.own_ns)));
    }
    lead->excess_ns = excess_ns;
  }

  // Who receives does not do the work of who sends, and waits for it as a matter of course; those who do both in
  // one group call may.
  bool has_peers(uint32_t a) const {
    const uint32_t launch = own_.segments[a].launch;
    return run_.operations[run_.arrivals[a].operation].kind != OpKind::PointToPoint ||
           own_.launch_begin[launch + 1] - own_.launch_begin[launch] > 1;
  }
  bool begins_by_kernel(uint32_t a) const {
    return run_.arrivals[a].basis == ArrivalBasis::KernelStart;
  }

  // Once for each match: of a thousand ranks each would look at all others.
  void look_at_matches() {
    starts_ns_.reserve(run_.arrivals.size());
    for (const MatchRow& match : run_.matches) {
      OfMatch& of_match = matches_.emplace_back();
      of_match.first = starts_ns_.size();
      for (uint32_t a = match.first_arrival; a < match.first_arrival + match.arrivals; ++a) {
        if (own_.segments[a].actor == kNoRow) continue;
        starts_ns_.push_back(own_.segments[a].start_ns);
        ++of_match.ranks;
        of_match.queued += begins_by_kernel(a) && own_.was_queued(a) ? 1 : 0;
      }
      std::sort(starts_ns_.begin() + static_cast<std::ptrdiff_t>(of_match.first), starts_ns_.end());
    }
  }
  const OfMatch& of_match(uint32_t a) const { return matches_[run_.arrivals[a].match]; }

  // Of one that was not queued itself.
  bool are_peers_queued(uint32_t a) const { return of_match(a).queued * 2 > of_match(a).ranks - 1; }
  // Against the reference of the others, in the order of their starts.
  int64_t lateness_of(uint32_t a) const {
    const size_t others = of_match(a).ranks - 1;
    if (others == 0) return 0;
    const auto begin = starts_ns_.begin() + static_cast<std::ptrdiff_t>(of_match(a).first);
    const int64_t start_ns = own_.segments[a].start_ns;
    const auto at = static_cast<std::ptrdiff_t>(static_cast<double>(others) * kRoleReference);
    // Without its own start those behind it come one place sooner.
    return start_ns - (begin[at] < start_ns ? begin[at] : begin[at + 1]);
  }

  const RunTables& run_;
  const OwnSegments& own_;
  Excesses& excesses_;
  std::vector<OfMatch> matches_;
  std::vector<int64_t> starts_ns_;  // match by match, ascending
};

}  // namespace

void forgive_leads_of_peers(const RunTables& run, const OwnSegments& own, Excesses* excesses) {
  Leads(run, own, excesses).forgive();
}

}  // namespace lockstep::analysis
