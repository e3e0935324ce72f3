// An operation's place on its communicator, counted as the readers do (analysis/join/operation_rows.cc):
// its ordinal among those of its function, and for sends and receives of its peer, from 0; and how
// many collectives had begun. NCCL's own numbers make up for calls that were not recorded, until a
// graph is replayed: replays share the ordinal of the captured call and disturb NCCL's numbers. They
// also set right what calls in a wrong order were counted as. One object per communicator, one thread at
// a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>

namespace lockstep::dumper {

struct OperationMark {
  uint64_t ticks = 0;        // when that was; 0 = there is none
  uint16_t func = 0;         // string number
  int32_t peer = -1;         // of sends and receives
  int64_t ordinal = -1;      // -1 = not known yet: a send or receive that NCCL has not taken up
  uint64_t collectives = 0;  // begun on the communicator by then, this one included
};

class OperationOrdinals {
 public:
  // Of `mark`'s function and peer.
  void number_collective(OperationMark* mark) {
    mark->ordinal = static_cast<int64_t>(series_of(*mark).next++);
    mark->collectives = ++collectives_;
  }
  void number_p2p(OperationMark* mark) {
    mark->ordinal = static_cast<int64_t>(series_of(*mark).next++);
    mark->collectives = collectives_;
  }
  // Calls of several threads may come in a wrong order from now on: NCCL's numbers alone count where it
  // gives them.
  void expect_disorder() { disorder_ = true; }
  // `sequence` is NCCL's own number of a collective that has been numbered.
  void correct(OperationMark* mark, uint64_t sequence) {
    Series& series = series_of(*mark);
    series.numbered = std::max(series.numbered, sequence + 1);
    const auto given = static_cast<uint64_t>(mark->ordinal);
    if (series.replayed || (sequence <= given && !disorder_)) return;
    mark->ordinal = static_cast<int64_t>(sequence);
    mark->collectives += sequence - given;
    const uint64_t next = disorder_ ? series.numbered : std::max(series.next, sequence + 1);
    collectives_ += next - series.next;
    series.next = next;
  }
  // A captured collective was launched: for the first time, or again.
  void replay(const OperationMark& mark, bool again) {
    series_of(mark).replayed = true;
    if (again) ++collectives_;
  }
  uint64_t collectives() const { return collectives_; }

 private:
  struct Series {
    uint64_t next = 0;
    uint64_t numbered = 0;  // by NCCL, so far
    bool replayed = false;
  };
  Series& series_of(const OperationMark& mark) {
    return series_[uint64_t{mark.func} << 32 | static_cast<uint32_t>(mark.peer + 1)];
  }

  std::unordered_map<uint64_t, Series> series_;
  uint64_t collectives_ = 0;
  bool disorder_ = false;
};

}  // namespace lockstep::dumper
