// The communicators of a process that began before the place at which reading its segments begins.
// The list at that segment's beginning has those that were alive then; later ones are in records
// between the list and the place. Those are read only as far as needed: most jobs make their
// communicators first of all. Never reads more than one segment. Used by ProcessReader; one thread.
#pragma once

#include <memory>
#include <string>

#include "dumper/run/chunk_search.h"
#include "dumper/segment/live_comms.h"
#include "dumper/segment/segment_reader.h"

namespace lockstep::dumper {

class EarlierComms {
 public:
  // Reading begins at `start`; segments[first_segment] is the first that counts. `used_only`: those that no chunk uses are
  // not looked for. `process` outlives this.
  EarlierComms(const ProcessEntry& process, size_t first_segment, ChunkPlace start, bool used_only);
  // Where they are known already.
  EarlierComms(const ProcessEntry& process, ChunkPlace start, const LiveComms& known);

  // Chunks up to here were left out as well.
  void pass(ChunkPlace end);

  // Before this chunk is handed out: looks for the communicators it uses that are not known yet.
  // Whether there are any that nobody was told of.
  bool has_news_for(const SegmentChunk& chunk);
  // What a Comms chunk would say of all that are alive as far as known.
  std::string take_news();
  const LiveComms& known() const { return known_; }

 private:
  void open();
  bool read_on();
  void look_for(uint32_t comm);

  const ProcessEntry& process_;
  ChunkPlace end_;  // of what was left out
  bool begun_ = false;
  std::unique_ptr<SegmentReader> reader_;  // of the segment at whose middle reading begins
  SegmentChunk chunk_;
  LiveComms known_;
  bool news_ = false;
};

// The rank of a process in its first communicator, as far as the beginning of its segments tells; -1
// where it does not.
int64_t first_rank_of(const ProcessEntry& process);

}  // namespace lockstep::dumper
