// The records of one process in time order, pulled one at a time: the threads' records are merged
// chunk by chunk, up to the time that the writer said was complete. Where a writer could not say
// (recovered or damaged files) a bounded window of chunks is merged instead, so memory never
// depends on the length of the trace; a record that comes too late for its place is handed out at
// once. One thread per reader.
#pragma once

#include <deque>
#include <memory>
#include <queue>
#include <string>
#include <unordered_map>
#include <vector>

#include "dumper/run/process_reader.h"
#include "dumper/run/selection.h"
#include "dumper/segment/live_comms.h"
#include "lockstep/record_shape.h"

namespace lockstep::dumper {

// Everything here stays valid until the next call of next().
struct TimedRecord {
  const uint64_t* words = nullptr;
  uint64_t raw_ns = 0;  // CLOCK_MONOTONIC_RAW of the host
  uint32_t tid = 0;
  const std::string* thread_name = nullptr;
  const ChunkClock* clock = nullptr;  // for the other clocks: clock->real_ns(ticks_of(words[0]))

  Tag tag() const { return tag_of(words[0]); }
};

class ProcessRecords {
 public:
  explicit ProcessRecords(const ProcessEntry& process);
  // Only the records of this span of time.
  ProcessRecords(const ProcessEntry& process, RawSpan span);

  bool next(TimedRecord* record);

  // Text of a string number; empty for NULL. Known from the first record that uses it on.
  const std::string& text(uint64_t number) const;
  // The communicators met so far, the finalized ones included.
  const LiveComms& comms() const { return comms_; }
  const ProcessReader& reader() const { return reader_; }

 private:
  struct Run {  // one piece that is being merged
    std::shared_ptr<DecodedChunk> chunk;
    const DecodedPiece* piece;
    const uint64_t* at;
    uint32_t left;
  };
  struct Thread {
    std::deque<Run> runs;
  };
  struct Head {
    uint64_t ticks;
    Thread* thread;
    bool operator<(const Head& other) const { return ticks > other.ticks; }  // smallest first
  };

  bool next_of_all(TimedRecord* record);
  bool select();
  bool read_more();
  std::shared_ptr<DecodedChunk> spare_chunk();
  void take(const std::shared_ptr<DecodedChunk>& chunk);
  void learn(const uint64_t* words);

  RawSpan span_;
  ProcessReader reader_;
  std::unordered_map<uint32_t, Thread> threads_;
  std::priority_queue<Head> heads_;  // threads with runs, the current one left out
  Thread* current_ = nullptr;
  uint64_t current_until_ = 0;          // ticks up to which current_ is the earliest
  std::shared_ptr<DecodedChunk> held_;  // of the record handed out last
  // Every chunk in memory; one that nobody else holds is used again, which saves its pages from
  // being made anew.
  std::vector<std::shared_ptr<DecodedChunk>> chunks_;
  SegmentChunk reading_;
  uint64_t complete_ticks_ = 0;
  // Latest ticks of the chunks taken since the writer last said "complete".
  std::deque<uint64_t> window_;
  bool exhausted_ = false;
  std::vector<std::string> strings_;
  LiveComms comms_;
};

}  // namespace lockstep::dumper
