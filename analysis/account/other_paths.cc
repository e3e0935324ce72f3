#include "analysis/account/other_paths.h"

#include <algorithm>
#include <limits>
#include <queue>

namespace lockstep::analysis {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::min();

// An arc of the graph, and when the run ends by the longest way over it.
struct Arc {
  enum class Kind : uint8_t { Own, Passage, Other };
  uint32_t from = 0, to = 0;  // positions
  uint32_t row = kNoRow;      // Own: of `arrivals`; Passage: of `matches`
  Kind kind = Kind::Other;
  int64_t end_ns = 0;
};

class Graph {
 public:
  Graph(const RunTables& run, const OwnSegments& own, const std::vector<int64_t>& own_excess_ns)
      : run_(run),
        own_(own),
        own_excess_ns_(own_excess_ns),
        order_(own.order),
        last_place_(run.matches.size(), kNoRow),
        launch_place_(own.launch_begin.size(), kNoRow),
        launch_last_ns_(own.launch_begin.size(), kNever),
        behind_start_(own.segments.size(), kNever),
        behind_end_(own.segments.size(), 0),
        behind_match_(run.matches.size(), kNever),
        behind_launch_(own.launch_begin.size(), kNever) {
    put_in_order();
    look_back();
  }

  std::vector<int64_t> gains(const std::vector<PathPlace>& places) {
    int64_t most_ns = 0;
    for (const PathPlace& place : places) most_ns = std::max(most_ns, place.excess_ns);
    collect_arcs(end_ns_ - most_ns);
    std::sort(arcs_.begin(), arcs_.end(),
              [](const Arc& a, const Arc& b) { return a.from < b.from; });
    std::vector<size_t> by_cut(places.size());
    for (size_t i = 0; i < places.size(); ++i) by_cut[i] = i;
    std::sort(by_cut.begin(), by_cut.end(),
              [&](size_t a, size_t b) { return cut_at(places[a]) < cut_at(places[b]); });
    std::vector<int64_t> gains(places.size());
    for (const size_t i : by_cut) gains[i] = end_ns_ - end_without(places[i]);
    return gains;
  }

 private:
  // Positions: each row's start has four in the order of the starts. Behind the last start of a match
  // follow the match, its passage, and launches that wait for it.
  static constexpr uint32_t kMatch = 1, kPassed = 2, kLaunch = 3;
  uint32_t at_start(uint32_t row) const { return 4 * place_[row] + 4; }  // 0 is before the run
  uint32_t at_match(uint32_t match, uint32_t what) const {
    return 4 * last_place_[match] + 4 + what;
  }
  uint32_t at_launch(uint32_t launch) const { return 4 * launch_place_[launch] + 4 + kLaunch; }
  // From where a row's end follows.
  uint32_t before_end(uint32_t row) const {
    const Segment& segment = own_.segments[row];
    if (segment.waits_for_launch) return at_launch(segment.launch);
    return segment.waits ? at_match(match_of(row), kPassed) : at_start(row);
  }
  uint32_t match_of(uint32_t row) const { return run_.arrivals[row].match; }
  // A rank's lateness is cut in its middle: there, all that is late with it has not begun.
  uint32_t cut_at(const PathPlace& place) const {
    if (place.part == PathPart::Transfer) return at_match(place.row, kMatch);
    const int64_t at_ns = own_.segments[place.row].start_ns - (place.excess_ns + 1) / 2;
    const auto next = std::lower_bound(
        order_.begin(), order_.end(), at_ns,
        [&](uint32_t row, int64_t ns) { return own_.segments[row].start_ns < ns; });
    return 4 * static_cast<uint32_t>(next - order_.begin()) + 3;
  }

  void put_in_order() {
    const auto& segments = own_.segments;
    std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) {
      return segments[a].start_ns != segments[b].start_ns
                 ? segments[a].start_ns < segments[b].start_ns
                 : a < b;
    });
    place_.resize(segments.size());
    for (uint32_t i = 0; i < order_.size(); ++i) {
      place_[order_[i]] = i;
      last_place_[match_of(order_[i])] = i;
      end_ns_ = std::max(end_ns_, segments[order_[i]].end_ns);
    }
    waited_for_.assign(run_.matches.size(), 0);
    for (const uint32_t row : order_) {
      const Segment& segment = segments[row];
      if (!segment.waits) continue;
      const uint32_t match = match_of(row);
      waited_for_[match] = 1;
      uint32_t& place = launch_place_[segment.launch];
      if (place == kNoRow || place < last_place_[match]) place = last_place_[match];
      launch_last_ns_[segment.launch] =
          std::max(launch_last_ns_[segment.launch], own_.last_start_ns[match]);
    }
  }

  // From the last start to the first: all that follows a start begins later, so its ways are known.
  void look_back() {
    for (size_t i = order_.size(); i-- > 0;) {
      const uint32_t row = order_[i];
      const Segment& segment = own_.segments[row];
      int64_t behind_ns = kNever;
      if (!segment.waits) behind_ns = segment.end_ns - segment.start_ns + behind_end_[row];
      if (waited_for_[match_of(row)] != 0)
        behind_ns = std::max(behind_ns, behind_match(match_of(row)));
      behind_start_[row] = behind_ns;
      if (segment.before == kNoRow) continue;
      int64_t& before_ns = behind_end_[segment.before];
      before_ns =
          std::max(before_ns, segment.start_ns - own_.segments[segment.before].end_ns + behind_ns);
    }
  }
  int64_t behind_match(uint32_t number) {
    int64_t& behind_ns = behind_match_[number];
    if (behind_ns != kNever) return behind_ns;
    const MatchRow& match = run_.matches[number];
    for (uint32_t row = match.first_arrival; row < match.first_arrival + match.arrivals; ++row) {
      const Segment& segment = own_.segments[row];
      if (segment.actor == kNoRow || !segment.waits) continue;
      behind_ns =
          std::max(behind_ns, segment.waits_for_launch
                                  ? behind_launch(segment.launch)
                                  : segment.end_ns - own_.last_start_ns[number] + behind_end_[row]);
    }
    return behind_ns;
  }
  int64_t behind_launch(uint32_t launch) {
    int64_t& behind_ns = behind_launch_[launch];
    if (behind_ns != kNever) return behind_ns;
    for (uint32_t i = own_.launch_begin[launch]; i < own_.launch_begin[launch + 1]; ++i) {
      const Segment& segment = own_.segments[own_.order[i]];
      if (segment.waits_for_launch)
        behind_ns = std::max(behind_ns,
                             segment.end_ns - launch_last_ns_[launch] + behind_end_[own_.order[i]]);
    }
    return behind_ns;
  }

  // What ends the run before least_ns limits nobody.
  void collect_arcs(int64_t least_ns) {
    const auto add = [&](uint32_t from, uint32_t to, int64_t end_ns, Arc::Kind kind, uint32_t row) {
      if (end_ns >= least_ns) arcs_.push_back({from, to, row, kind, end_ns});
    };
    for (const uint32_t row : order_) {
      const Segment& segment = own_.segments[row];
      const uint32_t match = match_of(row);
      add(segment.before == kNoRow ? 0 : before_end(segment.before), at_start(row),
          segment.start_ns + behind_start_[row], Arc::Kind::Own, row);
      add(before_end(row), std::numeric_limits<uint32_t>::max(), segment.end_ns, Arc::Kind::Other,
          kNoRow);
      if (waited_for_[match] == 0) continue;
      add(at_start(row), at_match(match, kMatch), segment.start_ns + behind_match_[match],
          Arc::Kind::Other, kNoRow);
      if (last_place_[match] == place_[row])
        add(at_match(match, kMatch), at_match(match, kPassed),
            own_.last_start_ns[match] + behind_match_[match], Arc::Kind::Passage, match);
      if (segment.waits_for_launch)
        add(at_match(match, kPassed), at_launch(segment.launch),
            own_.last_start_ns[match] + behind_launch_[segment.launch], Arc::Kind::Other, kNoRow);
    }
  }

  int64_t excess_at(const Arc& arc, const PathPlace& place) const {
    if (place.part == PathPart::Transfer)
      return arc.kind == Arc::Kind::Passage && arc.row == place.row ? place.excess_ns : 0;
    const bool late_too = arc.kind == Arc::Kind::Own &&
                          own_.segments[arc.row].actor == own_.segments[place.row].actor;
    return late_too ? own_excess_ns_[arc.row] : 0;
  }

  // When the run would end. Cuts are asked for in their order.
  int64_t end_without(const PathPlace& place) {
    const uint32_t cut = cut_at(place);
    for (; next_ < arcs_.size() && arcs_[next_].from <= cut; ++next_) open_.push(&arcs_[next_]);
    std::vector<const Arc*> shorter;
    int64_t end_ns = end_ns_ - place.excess_ns;
    while (!open_.empty()) {
      const Arc* top = open_.top();
      const int64_t excess_ns = top->to > cut ? excess_at(*top, place) : 0;
      if (top->to > cut) end_ns = std::max(end_ns, top->end_ns - excess_ns);
      // What comes behind it ends earlier still.
      if (top->to > cut && (excess_ns == 0 || top->end_ns <= end_ns)) break;
      if (top->to > cut) shorter.push_back(top);
      open_.pop();
    }
    for (const Arc* arc : shorter) open_.push(arc);
    return end_ns;
  }

  struct EndsEarlier {
    bool operator()(const Arc* a, const Arc* b) const { return a->end_ns < b->end_ns; }
  };

  const RunTables& run_;
  const OwnSegments& own_;
  const std::vector<int64_t>& own_excess_ns_;
  std::vector<uint32_t> order_, place_;  // rows by start, and where each is
  std::vector<uint8_t> waited_for_;      // by match: somebody's end waited for its last start
  // Of the last start: of a match, and of all that a launch waits for.
  std::vector<uint32_t> last_place_, launch_place_;
  std::vector<int64_t> launch_last_ns_;
  // The longest way from there to the end of the run.
  std::vector<int64_t> behind_start_, behind_end_, behind_match_, behind_launch_;
  int64_t end_ns_ = kNever;
  std::vector<Arc> arcs_;
  size_t next_ = 0;
  std::priority_queue<const Arc*, std::vector<const Arc*>, EndsEarlier> open_;
};

}  // namespace

std::vector<int64_t> gains_of_places(const RunTables& run, const OwnSegments& own,
                                     const std::vector<int64_t>& own_excess_ns,
                                     const std::vector<PathPlace>& places) {
  if (places.empty()) return {};
  return Graph(run, own, own_excess_ns).gains(places);
}

}  // namespace lockstep::analysis
