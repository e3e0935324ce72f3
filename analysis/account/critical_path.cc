#include "analysis/account/critical_path.h"

#include <algorithm>

#include "analysis/account/other_paths.h"

namespace lockstep::analysis {
namespace {

class Walk {
 public:
  Walk(const RunTables& run, const OwnSegments& own, const PathExcesses& excesses)
      : run_(run), own_(own), excesses_(excesses) {}

  std::vector<CriticalPathRow> walk() {
    uint32_t at = kNoRow;
    for (const uint32_t row : own_.order) {
      if (at == kNoRow || segment(row).end_ns > segment(at).end_ns) at = row;
    }
    while (at != kNoRow) {
      const uint32_t last = waited_for(at);
      add_transfer(at, last);
      const uint32_t before = segment(last).before;
      if (before != kNoRow) add_own(last, before);
      at = before;
    }
    std::reverse(path_.begin(), path_.end());
    std::reverse(places_.begin(), places_.end());
    add_gains();
    return std::move(path_);
  }

 private:
  const Segment& segment(uint32_t row) const { return own_.segments[row]; }

  // Whose start came last of all that this row's end waited for.
  uint32_t waited_for(uint32_t row) const {
    uint32_t last = row;
    if (!segment(row).waits) return last;
    look_at(row, &last);
    if (!segment(row).waits_for_launch) return last;
    const uint32_t launch = segment(row).launch;
    for (uint32_t i = own_.launch_begin[launch]; i < own_.launch_begin[launch + 1]; ++i)
      look_at(own_.order[i], &last);
    return last;
  }
  void look_at(uint32_t waiting, uint32_t* last) const {
    if (!segment(waiting).waits) return;
    const MatchRow& match = run_.matches[run_.arrivals[waiting].match];
    for (uint32_t row = match.first_arrival; row < match.first_arrival + match.arrivals; ++row) {
      if (segment(row).actor != kNoRow && segment(row).start_ns > segment(*last).start_ns)
        *last = row;
    }
  }

  CriticalPathRow piece(PathPart part, uint32_t row, int64_t start_ns, int64_t end_ns) const {
    const ArrivalRow& arrival = run_.arrivals[row];
    const OperationRow& operation = run_.operations[arrival.operation];
    const MatchRow& match = run_.matches[arrival.match];
    CriticalPathRow one;
    one.part = part;
    one.step = match.step;
    one.operation = arrival.operation;
    one.match = arrival.match;
    one.communicator = operation.communicator;
    one.process = operation.process;
    one.rank = operation.rank;
    one.func = operation.func;
    one.start_ns = start_ns;
    one.end_ns = end_ns;
    one.duration_ns = end_ns - start_ns;
    return one;
  }
  void add_transfer(uint32_t row, uint32_t last) {
    CriticalPathRow one =
        piece(PathPart::Transfer, row, segment(last).start_ns, segment(row).end_ns);
    // Of operations in one launch it is the one that began last which the others waited for.
    const uint32_t match = run_.arrivals[last].match;
    one.excess_ns = segment(row).waits ? std::max<int64_t>(0, excesses_.transfer_ns[match]) : 0;
    one.excess_ns = std::min(one.excess_ns, one.duration_ns);
    path_.push_back(one);
    places_.push_back({PathPart::Transfer, match, one.excess_ns});
  }
  void add_own(uint32_t row, uint32_t before) {
    CriticalPathRow one = piece(PathPart::Own, row, segment(before).end_ns, segment(row).start_ns);
    one.excess_ns = excesses_.own_ns[row];
    path_.push_back(one);
    places_.push_back({PathPart::Own, row, one.excess_ns});
  }

  // Only what is longer than usual has something to gain.
  void add_gains() {
    std::vector<PathPlace> asked;
    for (const PathPlace& place : places_) {
      if (place.excess_ns > 0) asked.push_back(place);
    }
    const std::vector<int64_t> gains = gains_of_places(run_, own_, excesses_.own_ns, asked);
    size_t next = 0;
    for (size_t i = 0; i < path_.size(); ++i) {
      if (places_[i].excess_ns > 0) path_[i].gain_ns = gains[next++];
    }
  }

  const RunTables& run_;
  const OwnSegments& own_;
  const PathExcesses& excesses_;
  std::vector<CriticalPathRow> path_;
  std::vector<PathPlace> places_;  // of each piece
};

}  // namespace

std::vector<CriticalPathRow> find_critical_path(const RunTables& run, const OwnSegments& own,
                                                const PathExcesses& excesses) {
  return Walk(run, own, excesses).walk();
}

}  // namespace lockstep::analysis
