// The shared mapping that holds the blocks, and its growth. Created by the first enabled init;
// grown by the keeper thread ahead of need, or by a producer that finds nothing left; shrunk by the
// keeper. Never unmapped once callbacks know it, because NCCL may call in after everything ended.
// Pages are reserved in the file and touched before records go into them: a full tmpfs must be an
// error here, not a SIGBUS in NCCL's thread.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "lockstep/shared_blocks.h"
#include "lockstep/status.h"

namespace lockstep::plugin {

struct ArenaOptions {
  size_t cap_bytes = 0;    // of blocks
  bool crash_safe = true;  // false: anonymous memory, gone with the process
  std::string shm_dir;     // "" = choose: /dev/shm when plenty is free, else TMPDIR or /tmp
};

class Arena {
 public:
  Arena() = default;
  // Only for an arena that no callback knows.
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  // Maps header and address space for cap_bytes of blocks; reserves the header's pages only. When
  // no file can be had, falls back to anonymous memory and says why in notice().
  Status create(const ArenaOptions& options);

  ArenaHeader* header() const { return header_; }
  BlockHeader* block(uint32_t index) const {
    return reinterpret_cast<BlockHeader*>(base_ + kFirstBlockOffset + size_t{index} * kBlockBytes);
  }
  uint32_t index_of(const BlockHeader* block) const {
    const auto offset = static_cast<size_t>(reinterpret_cast<const char*>(block) - base_);
    return static_cast<uint32_t>((offset - kFirstBlockOffset) / kBlockBytes);
  }
  uint32_t max_blocks() const { return max_blocks_; }
  const std::string& path() const { return path_; }      // "" when anonymous
  const std::string& notice() const { return notice_; }  // "" or a sentence for the log

  // Any thread. Reserves and touches up to `count` blocks that follow each other; the number got,
  // and the first's index. Fewer at the cap or when memory is short.
  uint32_t reserve_stretch(uint32_t count, uint32_t* first);
  // For a producer that finds no free block because the keeper is late: two system calls, some 10
  // us, instead of a loss. nullptr at the cap, and where growing could wait for a disk.
  BlockHeader* reserve_one();
  bool grows_anywhere() const { return grows_anywhere_; }
  // Keeper thread. Gives a free block's memory back to the system; it may be reserved again later.
  void release(BlockHeader* block);
  // Any thread: whether the block's pages exist. Reading one that was never reserved would take
  // memory for it.
  bool is_reserved(uint32_t index) const {
    return states_[index].load(std::memory_order_acquire) == State::Present;
  }

  // Removes the file; the mapping stays usable. Any later crash leaves nothing behind.
  void unlink_file();

 private:
  enum class State : uint8_t { Absent, Reserving, Present };
  uint32_t claim(uint32_t count, uint32_t* first);
  bool map_file(const std::string& dir, size_t bytes);
  bool bring_in(BlockHeader* first, uint32_t count);
  bool reserve_pages(size_t offset, size_t bytes);

  ArenaHeader* header_ = nullptr;
  char* base_ = nullptr;
  int fd_ = -1;
  uint32_t max_blocks_ = 0;
  bool grows_anywhere_ = false;                   // memory, not a disk, is behind the mapping
  std::unique_ptr<std::atomic<State>[]> states_;  // by block index
  std::atomic<uint32_t> next_absent_{0};          // where to look first
  std::string path_;
  std::string notice_;
};

}  // namespace lockstep::plugin
