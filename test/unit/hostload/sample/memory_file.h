// A recording process's memory file (lockstep/shared_blocks.h), as far as the sampler reads it.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>

#include "lockstep/shared_blocks.h"

namespace lockstep::hostload {

class MemoryFile {
 public:
  MemoryFile(const std::string& folder, const std::string& name)
      : path_(folder + "/lockstep-" + std::to_string(geteuid()) + "-" + name + ".blocks"),
        header_(std::make_unique<ArenaHeader>()) {
    header_->magic = kArenaMagic;
    header_->version = 1;
    std::strcpy(header_->boot_id, "boot-1");
    std::strcpy(header_->run_dir, "/run");
  }
  ArenaHeader* header() { return header_.get(); }
  const std::string& path() const { return path_; }

  void write() const {
    std::ofstream file(path_, std::ios::binary);
    file.write(reinterpret_cast<const char*>(header_.get()), offsetof(ArenaHeader, ended));
  }
  // The n-th block, held by that thread; sequence 0 is a free one.
  void put_block(size_t n, uint32_t tid, const char* name, uint64_t sequence = 1) const {
    BlockHeader block{};
    block.sequence = sequence;
    block.tid = tid;
    std::memcpy(block.thread_name, name, strnlen(name, sizeof block.thread_name));
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(kFirstBlockOffset + n * kBlockBytes));
    file.write(reinterpret_cast<const char*>(&block), sizeof block);
  }

 private:
  std::string path_;
  std::unique_ptr<ArenaHeader> header_;
};

}  // namespace lockstep::hostload
