#include "analysis/follow/held_ends.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <unordered_map>

#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

// As for lateness (role_reference.cc): it holds where nearly two thirds of them are held up.
constexpr double kByItself = 0.35;

class HeldEnds {
 public:
  HeldEnds(const RunTables& run, const Roles& roles, OwnSegments* own)
      : run_(run), roles_(roles), own_(*own), receive_(run.strings.find("Recv")) {}

  void find() {
    note_receives();
    for (const uint32_t a : own_.order) {
      if (ends_by_itself(a)) took_ns_[roles_.call[a]].push_back(took_ns(a));
    }
    for (auto& [call, times_ns] : took_ns_) times_ns = {quantile(&times_ns, kByItself)};
    for (const uint32_t a : own_.order) {
      if (!ends_by_itself(a)) continue;
      const int64_t usual_ns = took_ns_[roles_.call[a]].front();
      Segment& segment = own_.segments[a];
      segment.by_itself_ns = usual_ns;
      if (took_ns(a) > usual_ns)
        segment.held_by = is_send(a) ? last_received_by(a) : last_started_by(a);
    }
  }

 private:
  int64_t took_ns(uint32_t a) const { return own_.segments[a].end_ns - own_.segments[a].start_ns; }
  bool ends_by_itself(uint32_t a) const {
    const MatchRow& match = run_.matches[run_.arrivals[a].match];
    return !own_.segments[a].waits && match.comparable != 0 && (match.arrivals > 2 || is_send(a)) &&
           run_.operations[run_.arrivals[a].operation].finish_ns != kNoTime;
  }
  bool is_send(uint32_t a) const {
    const MatchRow& match = run_.matches[run_.arrivals[a].match];
    return match.arrivals == 2 && is_between_two(a) &&
           run_.operations[run_.arrivals[a].operation].func != receive_;
  }
  bool is_between_two(uint32_t a) const {
    return run_.operations[run_.arrivals[a].operation].kind == OpKind::PointToPoint;
  }

  // Communicator, who sends there and who receives.
  using Way = std::tuple<uint32_t, int32_t, int32_t>;
  struct Receive {
    int64_t start_ns = kNoTime;
    uint32_t row = kNoRow;
    bool operator<(const Receive& other) const { return start_ns < other.start_ns; }
  };
  void note_receives() {
    for (const uint32_t a : own_.order) {
      const OperationRow& row = run_.operations[run_.arrivals[a].operation];
      if (is_between_two(a) && row.func == receive_)
        receives_[{row.communicator, row.peer, row.rank}].push_back({own_.segments[a].start_ns, a});
    }
    for (auto& [way, receives] : receives_) std::stable_sort(receives.begin(), receives.end());
  }
  // The receive of an earlier send, which this one stands behind in the buffers; kNoRow: none began meanwhile.
  uint32_t last_received_by(uint32_t a) const {
    const OperationRow& row = run_.operations[run_.arrivals[a].operation];
    const auto way = receives_.find({row.communicator, row.rank, row.peer});
    if (way == receives_.end()) return kNoRow;
    const Segment& segment = own_.segments[a];
    const auto after = std::lower_bound(way->second.begin(), way->second.end(),
                                        Receive{segment.end_ns - kSameInstantNs, kNoRow});
    if (after == way->second.begin()) return kNoRow;
    const Receive& last = *std::prev(after);
    return last.start_ns > segment.start_ns ? last.row : kNoRow;
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
  const Text receive_;
  std::map<Way, std::vector<Receive>> receives_;                // in the order of their starts
  std::unordered_map<uint64_t, std::vector<int64_t>> took_ns_;  // by call; then of each its usual
};

}  // namespace

void find_held_ends(const RunTables& run, const Roles& roles, OwnSegments* own) {
  HeldEnds(run, roles, own).find();
}

}  // namespace lockstep::analysis
