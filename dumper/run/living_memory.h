// What processes of this host that still run have recorded and not written to their segments yet: the
// dump thread writes each interval, and writes nothing while the disk is full or the process is stopped.
// Read from their memory files, which stay as they are. For readers that ask where a rank stands now; one
// thread reads each.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dumper/run/arena_file.h"
#include "dumper/run/run_directory.h"
#include "dumper/segment/chunk_decode.h"

namespace lockstep::dumper {

class LivingMemory {
 public:
  // Nothing where no process of this host runs that has it, or where it cannot be read.
  static std::unique_ptr<LivingMemory> read(const FoundArena& arena);

  uint64_t process_uid() const { return arena_->header().process_uid; }
  // Of a process that has no segment yet.
  ProcessEntry entry() const;
  // What follows after the first bytes of each block, of which `told` has how many by the block's
  // sequence number, in the order in which it was recorded. What its process wrote to segments, and let
  // go, after read() is not in it if the segments were opened later: whoever does so misses nothing.
  std::vector<DecodedChunk> unwritten(const std::map<uint64_t, uint32_t>& told) const;

 private:
  LivingMemory() = default;

  std::unique_ptr<ArenaFile> arena_;
  std::vector<ArenaBlock> blocks_;  // with their payload
};

// Of the processes whose memory files the directory names.
std::vector<std::unique_ptr<LivingMemory>> read_living(const std::string& run_directory);

}  // namespace lockstep::dumper
