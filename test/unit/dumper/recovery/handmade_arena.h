// Arenas made by hand, as a killed process leaves them.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "base/system.h"
#include "dumper/run/process_state.h"
#include "test/unit/dumper/segment/samples.h"

namespace lockstep::dumper {

constexpr uint32_t kDeadPid = 0x7ffffff0;  // above any pid_max

// An arena in the run directory with room for a few blocks.
class HandmadeArena {
 public:
  explicit HandmadeArena(const std::string& directory)
      : HandmadeArena(directory, directory + "/host.1.blocks") {}
  HandmadeArena(const std::string& directory, const std::string& path) : path_(path) {
    header_->magic = kArenaMagic;
    header_->version = 1;
    header_->pid = kDeadPid;
    header_->process_uid = 0xabc;
    header_->process_start = 1;
    header_->max_blocks = 4;
    std::snprintf(header_->host, sizeof header_->host, "%s", this_host().c_str());
    std::snprintf(header_->boot_id, sizeof header_->boot_id, "%s", this_boot_id().c_str());
    std::snprintf(header_->run_dir, sizeof header_->run_dir, "%s", directory.c_str());
    const std::string facts = "{\"host\":\"" + this_host() + "\",\"boot_id\":\"" + this_boot_id() +
                              "\",\"pid\":" + std::to_string(kDeadPid) + "}";
    std::memcpy(header_->facts, facts.data(), facts.size());
    header_->facts_bytes = static_cast<uint32_t>(facts.size());
    header_->anchors[0] = kSampleAnchors[0];
    header_->anchors[1] = kSampleAnchors[1];
    header_->anchors_taken = 2;
  }

  // A block of `words`, with the calls that made them and `inside` more that never finished.
  void add_block(uint64_t sequence, const std::vector<uint64_t>& words, uint64_t inside) {
    BlockHeader& block =
        blocks_.emplace_back(std::make_unique<BlockHeader>(), words).first.operator*();
    block.sequence = sequence;
    block.tid = 77;
    block.published = pack_published(1, static_cast<uint32_t>(words.size() * sizeof(uint64_t)));
    for (size_t at = 0; at < words.size(); at += kRecordShapes[tag_of(words[at])].words) {
      const Tag tag = tag_of(words[at]);
      if (is_mark(tag)) ++block.calls[call_cell(kMarkKind, Call::Start)];
      if (tag >= kCommInitTag) continue;
      const Call call = call_of(tag);
      ++block.calls[call_cell(static_cast<unsigned>(kind_of(words[at + 1])), call)];
    }
    block.calls[call_cell(static_cast<unsigned>(Kind::Coll), Call::Start)] += inside;
  }

  void write() const {
    std::string bytes(kFirstBlockOffset + blocks_.size() * kBlockBytes, '\0');
    std::memcpy(bytes.data(), static_cast<const void*>(header_.get()), sizeof(ArenaHeader));
    size_t at = kFirstBlockOffset;
    for (const auto& [block, words] : blocks_) {
      std::memcpy(&bytes[at], static_cast<const void*>(block.get()), sizeof(BlockHeader));
      std::memcpy(&bytes[at + sizeof(BlockHeader)], words.data(), words.size() * sizeof(uint64_t));
      at += kBlockBytes;
    }
    std::ofstream(path_, std::ios::binary) << bytes;
  }

  ArenaHeader* header() { return header_.get(); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::unique_ptr<ArenaHeader> header_ = std::make_unique<ArenaHeader>();
  std::vector<std::pair<std::unique_ptr<BlockHeader>, std::vector<uint64_t>>> blocks_;
};

}  // namespace lockstep::dumper
