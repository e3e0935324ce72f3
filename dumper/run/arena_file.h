// A process's arena, read from its file: of a dead process by recovery, of a living one by
// living_memory.h. Everything is copied out with bounds checked, never mapped: the file may be cut
// short or hold anything. One thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dumper/run/process_state.h"
#include "dumper/segment/chunk_encode.h"
#include "dumper/segment/counts.h"

namespace lockstep::dumper {

// What one block held when it was read.
struct ArenaBlock {
  uint64_t sequence = 0, previous = 0;
  uint32_t tid = 0;
  char thread_name[16] = {};
  uint32_t bytes = 0;             // of whole records
  std::vector<uint64_t> payload;  // bytes / 8 words, filled by read_payload()
  CallCounts calls{};
  uint64_t offset = 0;  // of the block in the file
};

class ArenaFile {
 public:
  static Result<std::unique_ptr<ArenaFile>> open(const std::string& path);
  ~ArenaFile();
  ArenaFile(const ArenaFile&) = delete;
  ArenaFile& operator=(const ArenaFile&) = delete;

  // Waits its turn to recover it, and reads it again: what was read before may have been written to
  // since. False when another recovery has removed it meanwhile.
  bool claim();

  const std::string& path() const { return path_; }
  const ArenaHeader& header() const { return *header_; }
  ProcessIdentity process() const;
  std::string host() const;
  std::string run_directory() const;
  std::string facts() const;
  std::vector<Anchor> anchors() const;

  // Of every block that was in use, ascending by sequence; payloads not read yet.
  std::vector<ArenaBlock> blocks() const;
  bool read_payload(ArenaBlock* block) const;
  // Whether it is that block still: a living process empties blocks and uses them again.
  bool holds(const ArenaBlock& block) const;
  // The header again, which has the texts that records use by the time that they are read.
  bool refresh() { return read_header().ok(); }
  // Once everything in it is safe elsewhere.
  void remove();

 private:
  ArenaFile() = default;
  Status check_owner();
  Status read_header();
  bool read_at(void* to, size_t bytes, uint64_t offset) const;

  std::string path_;
  int file_ = -1;
  uint64_t size_ = 0;
  std::unique_ptr<ArenaHeader> header_;
};

}  // namespace lockstep::dumper
