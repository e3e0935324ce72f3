// The run again, had some ranks never taken longer than usual: a replay as a max-plus system, in which
// an operation starts its own segment after the end of what its rank did before, and ends its
// observed transfer after the last start. Nothing cured, it gives the times of the recording. So the
// difference is what those ranks cost the job, in the job's own time.
#pragma once

#include <utility>
#include <vector>

#include "analysis/follow/own_segments.h"

namespace lockstep::analysis {

// An own segment on the critical path, in the order of time.
struct PathPiece {
  uint32_t arrival = kNoRow;  // row
  int64_t excess_ns = 0;      // of it, what curing its rank would take away
  // The longest that another rank waited for its end in that operation, whatever the clocks' error.
  int64_t waited_ns = 0;
};

class WhatIf {
 public:
  // excess_ns: by row of `arrivals`. All three are read as long as this lives.
  WhatIf(const RunTables& run, const OwnSegments& own, const std::vector<int64_t>& excess_ns);

  // How much sooner the run ends when these actors are cured (a flag each), against the recording.
  int64_t gain_ns(const std::vector<uint8_t>& cured);
  // The same when transfers take so much less: by row of `arrivals`, less than from the last start to
  // the end.
  int64_t gain_of_transfers_ns(const std::vector<int64_t>& saved_ns);
  // What determined the end of the run, these being cured. No set of ranks can gain more than its
  // pieces' excesses.
  std::vector<PathPiece> critical_path(const std::vector<uint8_t>& cured);
  // Start of the first operation that is no connection set-up, and from there to the last end.
  int64_t first_ns() const { return time_.first_ns; }
  int64_t span_ns() const { return time_.length_ns(); }

 private:
  // What a replay needs of a row, close together: a judgement replays a run a hundred times.
  struct Start {
    int64_t start_ns = 0, own_ns = 0;  // of the segment
    uint32_t arrival = 0, before = 0, match = 0, actor = 0;
  };
  enum class Base : uint8_t { OwnStart, LastStart, LastStartOfLaunch, StartsSoFar };
  struct End {
    int64_t after_ns = 0;  // its base
    uint32_t of = 0;       // row of `arrivals`, of `matches`, or launch
    Base base = Base::OwnStart;
    int64_t by_itself_ns = 0;  // StartsSoFar: no sooner than so long after its own start
  };

  void replay(const std::vector<uint8_t>& cured);
  void keep_starts();
  End end_in(uint32_t arrival) const;
  int64_t end_of(uint32_t arrival);
  int64_t last_start_of_launch(uint32_t launch);
  // Of those that it waited for, who came last.
  uint32_t waited_for_whom(uint32_t arrival);
  void look_at_members(uint32_t arrival, int64_t until_ns, uint32_t* last) const;
  int64_t waited_for(uint32_t arrival) const;
  int64_t waited_for_launch(uint32_t arrival) const;
  End end_held(uint32_t arrival) const;
  bool is_cured(uint32_t arrival, const std::vector<uint8_t>& cured) const {
    return cured[own_.segments[arrival].actor] != 0;
  }

  const RunTables& run_;
  const OwnSegments& own_;
  const std::vector<int64_t>& excess_ns_;
  const std::vector<int64_t>* saved_ns_ = nullptr;  // of transfers, in the replay at hand
  std::vector<uint32_t> order_;                     // rows of `arrivals` by observed start
  std::vector<Start> starts_;                       // in that order
  std::vector<End> ends_;                           // by row of `arrivals`
  // Who ends once somebody has started (Segment::held_by): that row, and whose end it is. Sorted.
  std::vector<std::pair<uint32_t, uint32_t>> held_;
  std::vector<int64_t> start_ns_, last_start_ns_;  // replayed: by row of `arrivals`, of `matches`
  // By row of `arrivals`: the last replayed start of its match, among those that had started by its own.
  std::vector<int64_t> starts_so_far_ns_;
  // The last start that a launch waits for, by launch: observed; replayed, once that was asked for.
  std::vector<int64_t> launch_observed_ns_, launch_ns_;
  const OwnSegments::Stretch time_;
};

}  // namespace lockstep::analysis
