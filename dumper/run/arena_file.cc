#include "dumper/run/arena_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "dumper/segment/process_facts.h"

namespace lockstep::dumper {
namespace {

template <size_t N>
std::string text_in(const char (&field)[N]) {
  return std::string(field, strnlen(field, N));
}

}  // namespace

Result<std::unique_ptr<ArenaFile>> ArenaFile::open(const std::string& path) {
  std::unique_ptr<ArenaFile> arena(new ArenaFile);
  arena->path_ = path;
  arena->file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (arena->file_ < 0) return Status::error(path + ": cannot open: " + std::strerror(errno));
  Status status = arena->check_owner();
  if (status.ok()) status = arena->read_header();
  if (!status.ok()) return status;
  return arena;
}

ArenaFile::~ArenaFile() {
  if (file_ >= 0) ::close(file_);
}

Status ArenaFile::check_owner() {
  struct stat facts;
  if (::fstat(file_, &facts) != 0 || !S_ISREG(facts.st_mode))
    return Status::error(path_ + ": not a regular file");
  if (facts.st_uid != ::geteuid()) {
    return Status::error(path_ + ": belongs to user " + std::to_string(facts.st_uid) +
                         ", who alone can recover it");
  }
  size_ = static_cast<uint64_t>(facts.st_size);
  return Status();
}

bool ArenaFile::claim() {
  while (::flock(file_, LOCK_EX) != 0) {
    if (errno != EINTR) return false;
  }
  struct stat facts;
  return ::fstat(file_, &facts) == 0 && facts.st_nlink != 0 && read_header().ok();
}

Status ArenaFile::read_header() {
  header_ = std::make_unique<ArenaHeader>();
  if (size_ < sizeof(ArenaHeader) || !read_at(header_.get(), sizeof(ArenaHeader), 0)) {
    return Status::error(path_ +
                         ": too short for the blocks of a lockstep process; remove it by hand");
  }
  if (header_->magic != kArenaMagic) {
    return Status::error(
        path_ + ": does not hold the blocks of a lockstep process of this kind of machine");
  }
  if (header_->version != 1) {
    return Status::error(path_ + ": written by a newer lockstep (version " +
                         std::to_string(header_->version) + "); recover with that one");
  }
  // It becomes part of file names; no process of ours ever wrote one with a slash.
  if (host().find('/') != std::string::npos) {
    return Status::error(path_ + ": the host it names at byte " +
                         std::to_string(offsetof(ArenaHeader, host)) +
                         " holds a slash, which no lockstep writes; remove it by hand");
  }
  return Status();
}

bool ArenaFile::read_at(void* to, size_t bytes, uint64_t offset) const {
  auto* at = static_cast<char*>(to);
  while (bytes != 0) {
    const ssize_t got = ::pread(file_, at, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    offset += static_cast<uint64_t>(got);
    bytes -= static_cast<size_t>(got);
  }
  return true;
}

ProcessIdentity ArenaFile::process() const {
  return {host(), text_in(header_->boot_id), header_->pid, header_->process_start};
}
std::string ArenaFile::host() const { return text_in(header_->host); }
std::string ArenaFile::run_directory() const { return text_in(header_->run_dir); }
std::string ArenaFile::facts() const {
  const ArenaHeader& header = *header_;
  const size_t bytes = header.facts_bytes.load(std::memory_order_acquire),
               driver_bytes = header.driver_version_bytes.load(std::memory_order_acquire);
  return with_driver_version(
      std::string(header.facts, std::min(bytes, sizeof header.facts)),
      std::string_view(header.driver_version,
                       std::min(driver_bytes, sizeof header.driver_version)));
}

std::vector<Anchor> ArenaFile::anchors() const {
  const uint64_t taken = header_->anchors_taken.load(std::memory_order_acquire);
  // Of a full ring the oldest may have been half overwritten when the process died.
  const uint64_t count = std::min<uint64_t>(taken, kArenaAnchors - 1);
  std::vector<Anchor> anchors;
  for (uint64_t n = taken - count; n != taken; ++n)
    anchors.push_back(header_->anchors[n % kArenaAnchors]);
  return anchors;
}

std::vector<ArenaBlock> ArenaFile::blocks() const {
  std::vector<ArenaBlock> blocks;
  auto header = std::make_unique<BlockHeader>();
  for (uint64_t offset = kFirstBlockOffset; offset + kBlockBytes <= size_; offset += kBlockBytes) {
    const off_t data = ::lseek(file_, static_cast<off_t>(offset), SEEK_DATA);
    if (data < 0) break;  // nothing was ever written from here on
    const auto skipped = (static_cast<uint64_t>(data) - offset) / kBlockBytes;
    offset += skipped * kBlockBytes;
    if (offset + kBlockBytes > size_ || !read_at(header.get(), sizeof(BlockHeader), offset)) break;
    ArenaBlock block;
    block.sequence = header->sequence.load(std::memory_order_acquire);
    if (block.sequence == 0) continue;
    block.previous = header->previous.load(std::memory_order_relaxed);
    block.tid = header->tid.load(std::memory_order_relaxed);
    std::memcpy(block.thread_name, header->thread_name, sizeof block.thread_name);
    const auto bytes = static_cast<uint32_t>(header->published.load(std::memory_order_acquire));
    block.bytes = std::min(bytes, static_cast<uint32_t>(kBlockPayloadBytes)) / 8 * 8;
    for (unsigned cell = 0; cell < kCallCells; ++cell) {
      block.calls[cell] = header->calls[cell].load(std::memory_order_relaxed);
    }
    block.offset = offset;
    blocks.push_back(std::move(block));
  }
  std::sort(blocks.begin(), blocks.end(),
            [](const ArenaBlock& a, const ArenaBlock& b) { return a.sequence < b.sequence; });
  return blocks;
}

bool ArenaFile::read_payload(ArenaBlock* block) const {
  block->payload.resize(block->bytes / sizeof(uint64_t));
  return read_at(block->payload.data(), block->bytes, block->offset + sizeof(BlockHeader));
}

bool ArenaFile::holds(const ArenaBlock& block) const {
  std::atomic<uint64_t> sequence{0};
  return read_at(&sequence, sizeof sequence, block.offset + offsetof(BlockHeader, sequence)) &&
         sequence.load(std::memory_order_relaxed) == block.sequence;
}

void ArenaFile::remove() { ::unlink(path_.c_str()); }

}  // namespace lockstep::dumper
