// One dead process's arena on its way into a segment: what the segments hold already
// (SegmentsTold), and what is written besides (Recovery). Used by recover.cc only; one thread.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "dumper/run/arena_file.h"
#include "dumper/run/process_reader.h"
#include "dumper/segment/arena_strings.h"
#include "dumper/segment/segment_writer.h"

namespace lockstep::dumper {

struct SegmentsTold {
  struct Block {
    uint32_t bytes = 0;
    std::map<unsigned, uint64_t> calls;  // by cell
  };
  std::map<uint64_t, Block> blocks;  // by sequence
  Counts kept;
  CallCounts calls{};
  std::set<uint32_t> tids;
  LiveComms comms;
  Ledger ledger;
  bool ended = false;
  uint32_t next_segment = 0, next_sequence = 0;
};
SegmentsTold read_segments(const std::string& directory, uint64_t process_uid);

class Recovery {
 public:
  Recovery(const ArenaFile& arena, const std::string& directory, SegmentsTold told);
  // Writes what the segments lack and the End chunk. May be run again after an error.
  Status run();

  uint64_t records() const { return records_; }
  uint64_t in_progress() const { return in_progress_; }
  const std::string& segment() const { return writer_.path(); }  // empty when nothing was lacking

 private:
  SegmentWriterOptions options(const std::string& directory) const;
  // A part of a dead block, with the memory that it needs until it is in a segment.
  struct Part {
    Piece piece;
    std::vector<uint64_t> payload;
    std::unique_ptr<std::atomic<uint64_t>[]> calls;
  };
  Status take(ArenaBlock* block);
  Status flush();
  Status write(const Piece* pieces, size_t count);
  Status write_halves(const Piece* pieces, size_t count);
  Ledger make_ledger() const;
  void add_losses(Ledger* ledger) const;
  void add_in_progress(Ledger* ledger) const;

  const ArenaFile& arena_;
  SegmentsTold told_;
  SegmentWriter writer_;
  ArenaStrings strings_;
  std::vector<Anchor> anchors_;
  std::vector<Part> parts_;  // of the next chunk
  size_t bytes_ = 0;         // of their records
  uint64_t records_ = 0, in_progress_ = 0;
};

}  // namespace lockstep::dumper
