// What a recording cannot tell, as data: what is not known, of how much, and where. Made by judge(),
// once for each gap; analysis/say puts it into words. Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/judge/compare_settings.h"
#include "analysis/tables/tables.h"
#include "lockstep/event.h"

namespace lockstep::analysis {

enum class NotKnownKind : uint8_t {
  Operations,  // none was recorded; `count` of `of` processes had no kind on that tells of any
  RanksNotRecorded,  // `ranks` or, where they have no number, `count` of `of` on `communicator`
  CallsLost,         // `rank` lost `count` records, so it may have entered `operation` unseen
  RecordingBehind,   // `operation` ended although it needs `ranks`, which have no record of it yet
  InProgress,        // `operation` was open when the recording ended, too short to tell more
  InsideHost,        // where `operation` stands: its transports report nothing
  WhichLink,         // where `operation` stands: no network steps
  WhoStopped,        // whose data stopped first in `operation`
  WhoHoldsUp,  // why the ranks of `communicator` arrive `typical_ns` apart; `ranks` come last `of` times
  ByChance,        // `count` times `ranks` of `communicator` held it up, `typical_ns` at most
  CostAtMost,      // whether `ranks` of `communicator` cost anything by being late `count` times
  LateOrNoWork,    // likewise, by `ranks` whose broadcasts hand out the work of `communicator`
  SlowOrMoreWork,  // `ranks` of `communicator`: each does what no other does
  OnlyWay,         // whether the way between the hosts of `operation` is slow: there is no other
  WhoCameLast,     // in `count` of `of` operations: the hosts are not on one clock
  AssumedClocks,   // which hosts are always late: their clocks were set by the calls
  WithinClocks,    // which ways of `communicator` are slow: clocks err by more than is seen
  SlowPaths,       // which links are slow; count != 0: network operations were recorded
  SlowGpus,        // whose GPU is slow: kernels were not recorded
  Ends,            // when `count` of `of` operations ended
  Lost,            // `count` calls, for `loss`
  GpuTimes,        // of `count` operations: they contradict the host's clock
  Damage,          // `count` chunks
  Settings,        // what only some processes recorded: `setting` differs between them
  Note,            // what the reader met, in its own words
};

struct NotKnown {
  NotKnownKind kind = NotKnownKind::Note;
  uint64_t count = 0, of = 0;
  uint32_t communicator = kNoRow, operation = kNoRow;  // rows
  std::vector<int32_t> ranks;
  int32_t rank = -1;
  int64_t typical_ns = 0;
  int64_t clock_error_ns = 0;  // between two hosts, guaranteed
  // Of the communicator's time; of ByChance, CostAtMost, LateOrNoWork, SlowOrMoreWork and OnlyWay the run's.
  int64_t share_percent = 0;
  bool ends_known = true;  // of WhoHoldsUp: when some of its operations ended
  double busbw_gbs = 0;    // of those like `operation`, 0 = unknown
  Loss loss = Loss::Unknown;
  SettingDifference setting;  // its processes are rows
  std::string note;
};

}  // namespace lockstep::analysis
