// The chunks of one generated process: its threads' records in pieces that a block could hold, a chunk for
// as many as the plugin's dump thread would put into one. One thread.
#pragma once

#include <map>
#include <vector>

#include "dumper/segment/segment_writer.h"
#include "test/drivers/common/rank_records.h"

namespace lockstep::driver {

class ProcessChunks {
 public:
  ProcessChunks(const RankStrings& strings, dumper::SegmentWriter* writer) : writer_(*writer) {
    context_.strings = &strings;
  }
  // Of the chunks to come. They are complete up to an instant (dumper::ChunkContext).
  void set_clock(const Anchor& before, const Anchor& after, uint64_t complete_ticks);
  // More records of a thread; whole chunks are written.
  Status add(const std::vector<uint64_t>& words, uint32_t tid);
  // Writes what is not written yet.
  Status flush();

 private:
  dumper::SegmentWriter& writer_;
  dumper::ChunkContext context_;
  Anchor anchors_[2] = {};
  dumper::ChunkEncoder encoder_;
  dumper::EncodedChunk chunk_;
  uint64_t blocks_ = 0;
  std::map<uint32_t, uint64_t> latest_;  // block, by thread
};

}  // namespace lockstep::driver
