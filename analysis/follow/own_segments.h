// What each rank owns of the time: the stretch between the end of what it last waited for and its next
// arrival. Arriving late is no fault, for an earlier rank may have been late, or it is the schedule:
// bubbles of a pipeline lie inside its receives, waiting for a late peer inside the collective, and
// neither is an own segment. Built once by the blame, linear in the operations; then only read.
//
// Where kernels are not recorded an arrival is the enqueue, which may run ahead of the GPU: an operation
// then starts no earlier than the operation before it on its communicator or stream ended. Where ends
// are not recorded, an operation ends with its last arrival, unless the rank had called the next by then.
#pragma once

#include <vector>

#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

// A kernel that starts so soon after the one before on its stream was held up by that, not by its data.
constexpr int64_t kQueuedNs = 20'000;
// What ends so shortly after a start may well have ended before it: GPU stamps are that exact.
constexpr int64_t kSameInstantNs = 1'000;

// What does one thing after the other: a process, or the part of it that is one rank where it has
// several ranks of one communicator (a process that drives several GPUs).
struct Actor {
  uint32_t process = kNoRow;
  uint32_t local = 0;  // 0, 1, ... among the ranks that its process has in one communicator
};

// One operation of one rank, as a row of `arrivals`.
struct Segment {
  int64_t start_ns = kNoTime, end_ns = kNoTime;
  // From the end of `before` to the start; kNoTime: nothing came before. Below 0, by 20 us at most, where that end
  // was stamped after the start.
  int64_t own_ns = kNoTime;
  // Row of `arrivals`: of the same actor, the last to end before the start.
  uint32_t before = kNoRow;
  // The same on its own stream, or communicator where streams are not known; kNoRow: none ended before
  // the start. choose_predecessors() decides between these.
  uint32_t before_in_line = kNoRow;
  // The same on any other stream or communicator; kNoRow: none of the last calls.
  uint32_t before_beside = kNoRow;
  // kNoRow: the row takes no part (a part of an assembled operation, one that did not end, ...).
  uint32_t actor = kNoRow;
  uint32_t launch = 0;  // operations of one group call have one launch, and are one trial
  bool waits = false;   // its end came after the last arrival of its match: it waited for it
  // ... and after those of all operations of its launch that waited: one kernel does them all, and ends
  // with the last of them.
  bool waits_for_launch = false;
  // Told by a kernel or the network; else it is the last arrival of its match at the earliest.
  bool end_known = false;
  // It did not wait for the last, yet took longer than such operations do that wait for nobody: until this
  // row, the last of its match to start before its end, or of a send the receive of an earlier one. kNoRow: it did
  // not. Else what it takes by itself.
  uint32_t held_by = kNoRow;
  int64_t by_itself_ns = 0;
  // Its arrival can be compared with the others', and is not connection set-up.
  bool counts = false;
};

struct OwnSegments {
  std::vector<Actor> actors;
  std::vector<Segment> segments;  // by row of `arrivals`
  std::vector<uint32_t> order;    // rows that take part, by actor, then in the order of the calls
  std::vector<int64_t> last_start_ns;  // by row of `matches`, of the rows that take part
  // Of operations called in one group, by launch: the first of them in `order`, and one more entry.
  std::vector<uint32_t> launch_begin;

  uint32_t actor_of(const RunTables& run, const MemberRow& member) const;
  // kNoRow where the communicator has no such rank, or none that recorded.
  uint32_t actor_of(const RunTables& run, uint32_t communicator, int32_t rank) const;
  // Of these actors, as far as they are its members, in order.
  std::vector<int32_t> ranks_of(const RunTables& run, uint32_t communicator,
                                const std::vector<uint32_t>& actors) const;
  // Of a row of `arrivals` that takes part and begins by its kernel.
  bool was_queued(uint32_t arrival) const;
  // From the start of the first operation that is no connection set-up to the last end: what the shares of the
  // run's time are shares of. No time where nothing takes part.
  struct Stretch {
    int64_t first_ns = 0, last_ns = 0;
    int64_t length_ns() const { return last_ns - first_ns; }
  };
  Stretch after_set_up() const;
  std::vector<uint32_t> first_actor;   // by process
  std::vector<uint32_t> member_local;  // by row of `members`
};

OwnSegments find_own_segments(const RunTables& run);

}  // namespace lockstep::analysis
