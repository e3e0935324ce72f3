#include "analysis/follow/held_ends.h"

#include <unordered_map>

#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

// As for lateness (role_reference.cc): it holds where nearly two thirds of them are held up.
constexpr double kByItself = 0.35;

class HeldEnds {
 public:
  HeldEnds(const RunTables& run, const Roles& roles, OwnSegments* own)
      : run_(run), roles_(roles), own_(*own) {}

  void find() {
    for (const uint32_t a : own_.order) {
      if (ends_by_itself(a)) took_ns_[roles_.call[a]].push_back(took_ns(a));
    }
    for (auto& [call, times_ns] : took_ns_) times_ns = {quantile(&times_ns, kByItself)};
    for (const uint32_t a : own_.order) {
      if (!ends_by_itself(a)) continue;
      const int64_t usual_ns = took_ns_[roles_.call[a]].front();
      Segment& segment = own_.segments[a];
      segment.by_itself_ns = usual_ns;
      if (took_ns(a) > usual_ns) segment.held_by = last_started_by(a);
    }
  }

 private:
  int64_t took_ns(uint32_t a) const { return own_.segments[a].end_ns - own_.segments[a].start_ns; }
  bool ends_by_itself(uint32_t a) const {
    const MatchRow& match = run_.matches[run_.arrivals[a].match];
    return !own_.segments[a].waits && match.comparable != 0 && match.arrivals > 2 &&
           run_.operations[run_.arrivals[a].operation].finish_ns != kNoTime;
  }
  // Somebody who started after it; kNoRow: nobody did.
  uint32_t last_started_by(uint32_t row) const {
    const MatchRow& match = run_.matches[run_.arrivals[row].match];
    const int64_t until_ns = own_.segments[row].end_ns - kSameInstantNs;
    uint32_t last = row;
    for (uint32_t a = match.first_arrival; a < match.first_arrival + match.arrivals; ++a) {
      const Segment& one = own_.segments[a];
      if (one.actor != kNoRow && one.start_ns < until_ns &&
          one.start_ns > own_.segments[last].start_ns)
        last = a;
    }
    return last == row ? kNoRow : last;
  }

  const RunTables& run_;
  const Roles& roles_;
  OwnSegments& own_;
  std::unordered_map<uint64_t, std::vector<int64_t>> took_ns_;  // by call; then of each its usual
};

}  // namespace

void find_held_ends(const RunTables& run, const Roles& roles, OwnSegments* own) {
  HeldEnds(run, roles, own).find();
}

}  // namespace lockstep::analysis
