// All chunks of one process, segment after segment, in the order they were written; or, given a span
// of time, the Records chunks that intersect it and what a reader needs to understand them: the
// communicators that began before, and the last ledger (chunk_search.h finds both ends). Also collects
// what every reader wants at the end: the last ledger, whether the process closed properly, and
// what could not be read; damage_sentences() is the one place that says what of it is damage. One
// thread; memory is that of one chunk.
#pragma once

#include <memory>

#include "dumper/run/chunk_search.h"
#include "dumper/run/earlier_comms.h"
#include "dumper/run/read_places.h"
#include "dumper/run/run_directory.h"
#include "dumper/segment/ledger.h"

namespace lockstep::dumper {

class ProcessReader {
 public:
  // `places`: what earlier parts of this process told, and where this one notes what it finds; may be null.
  ProcessReader(const ProcessEntry& process, SegmentReaderOptions options,
                ProcessPlaces* places = nullptr);

  bool next(SegmentChunk* chunk);
  // Of the segment the last chunk came from.
  const std::string& path() const;

  // Complete once next() has returned false. Of a span: what was found while reading it; bytes of
  // other times are not looked at.
  const std::vector<Damage>& damage() const { return damage_; }
  // A torn tail is no damage where the process still writes, or where recovery has written what the
  // kill cut off.
  std::vector<Damage> real_damage() const;
  // That chunks are missing; empty when none are.
  std::string missing_sentence() const;
  // Both, a sentence each.
  std::vector<std::string> damage_sentences() const;
  // The torn tails that are none.
  std::vector<std::string> harmless_tails() const;
  // Numbers of chunks that should be there and are not: a lost or deleted file, or damage.
  uint64_t missing_chunks() const { return missing_chunks_; }
  uint64_t unknown_chunks() const { return unknown_chunks_; }
  bool ended() const { return ended_; }             // an End chunk was found
  const Ledger& ledger() const { return ledger_; }  // the latest
  // Of a span: whether chunks of earlier times were left out.
  bool left_out_earlier() const { return left_out_; }
  // The first segments were deleted for the disk budget, or removed: counts begin in the middle.
  bool begins_late() const { return first_segment_ != 0 || ledger_.first_segment != 0; }

 private:
  bool open_next();
  void close_segment();
  void learn(const SegmentChunk& chunk);
  bool may_be_torn() const;
  // Of a span of time.
  bool is_part() const { return options_.from_raw_ns != 0 || options_.to_raw_ns != ~uint64_t{0}; }
  void begin_part();
  LastTotals known_totals() const;
  void note_place(const SegmentChunk& chunk, bool too_early);
  bool next_of_part(SegmentChunk* chunk);
  bool next_whole(SegmentChunk* chunk);

  const ProcessEntry& process_;
  SegmentReaderOptions options_;
  ProcessPlaces* places_;
  size_t segment_ = 0;
  std::unique_ptr<SegmentReader> reader_;
  uint32_t first_segment_ = 0;
  std::vector<Damage> damage_;
  uint64_t missing_chunks_ = 0, unknown_chunks_ = 0;
  uint64_t expected_sequence_ = 0;
  bool sequence_known_ = false;
  bool ended_ = false;
  Ledger ledger_;
  ChunkPlace start_;  // of a span of time
  std::unique_ptr<EarlierComms> earlier_;
  SegmentChunk held_;  // comes after the list of communicators that it needs
  bool holds_ = false, complete_ = false, left_out_ = false;
};

}  // namespace lockstep::dumper
