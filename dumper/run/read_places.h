// What reading one part of a process after another finds out on its way, so that the next part is not looked for
// and the communicators before it are not read again: a recording of an hour is then read once for all of its parts,
// and not from its beginning for each. One thread at a time for a process; ReadPlaces may be asked by any number.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "dumper/run/chunk_search.h"
#include "dumper/segment/live_comms.h"
#include "dumper/segment/segment_reader.h"

namespace lockstep::dumper {

class ProcessPlaces {
 public:
  // Reading begins at `start`.
  void begin(ChunkPlace start);
  // A chunk that was read with its records, or left out; in the order of the file from where reading began.
  // `written_in_order`: by the process itself, not by recovery.
  void passed(const SegmentChunk& chunk, size_t segment, bool written_in_order);
  void left_out(const SegmentChunk& chunk, size_t segment);

  // As find_place() has it, as far as that is known.
  std::optional<ChunkPlace> place_of(uint64_t from_raw_ns) const;
  // The communicators that began before `start`; null where it is not known.
  const LiveComms* comms_at(ChunkPlace start) const;

  std::optional<LastTotals> totals;  // once somebody looked

 private:
  struct Mark {
    uint64_t last_ns = 0;  // chunks before `place` hold nothing after this
    ChunkPlace place;
  };
  struct Known {
    ChunkPlace from;
    LiveComms comms;
  };
  std::vector<Mark> marks_;
  std::vector<Known> known_;  // in the order of their places
  LiveComms latest_;
  ChunkPlace learned_;   // all before it was learned
  bool learns_ = false;  // what comes now follows on it
  size_t since_mark_ = 0;
};

class ReadPlaces {
 public:
  ProcessPlaces* of(uint64_t process_uid) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return &places_[process_uid];
  }

 private:
  std::mutex mutex_;  // guards the tree, not what is in it
  std::map<uint64_t, ProcessPlaces> places_;
};

}  // namespace lockstep::dumper
