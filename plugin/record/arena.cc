#include "plugin/record/arena.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "base/system.h"

namespace lockstep::plugin {
namespace {

// NCCL itself needs /dev/shm (64 MiB in many containers): take a place there only when this many
// times our cap is free.
constexpr uint64_t kPlenty = 4;

uint64_t free_bytes(const char* dir) {
  struct statvfs info;
  if (statvfs(dir, &info) != 0) return 0;
  return uint64_t{info.f_bavail} * info.f_frsize;
}

std::string choose_dir(const ArenaOptions& options) {
  if (!options.shm_dir.empty()) return options.shm_dir;
  if (free_bytes("/dev/shm") >= kPlenty * options.cap_bytes) return "/dev/shm";
  const char* tmp = getenv("TMPDIR");
  return tmp != nullptr && tmp[0] == '/' ? tmp : "/tmp";
}

}  // namespace

Status Arena::create(const ArenaOptions& options) {
  max_blocks_ = static_cast<uint32_t>(options.cap_bytes / kBlockBytes);
  const size_t bytes = kFirstBlockOffset + size_t{max_blocks_} * kBlockBytes;
  states_ = std::make_unique<std::atomic<State>[]>(max_blocks_);
  const uint64_t uid = random_u64();
  if (options.crash_safe) {
    const std::string dir = choose_dir(options);
    char name[80];
    std::snprintf(name, sizeof name, "/lockstep-%u-%016" PRIx64 ".blocks",
                  static_cast<unsigned>(geteuid()), uid);
    if (!map_file(dir + name, bytes)) {
      notice_ = "crash safety is off: no memory file of " + std::to_string(bytes >> 20) +
                " MiB in " + dir + " (" + std::strerror(errno) +
                "); set LOCKSTEP_SHM_DIR to a local directory with room";
    }
  }
  if (base_ == nullptr) {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
      return Status::error("no address space for " + std::to_string(bytes >> 20) +
                           " MiB of buffers; lower LOCKSTEP_BUFFER_MB");
    }
    base_ = static_cast<char*>(memory);
    grows_anywhere_ = true;
    if (!reserve_pages(0, kFirstBlockOffset))
      return Status::error("no memory for the buffers' header");
  }
  header_ = reinterpret_cast<ArenaHeader*>(base_);
  header_->magic = kArenaMagic;
  header_->version = 1;
  header_->process_uid = uid;
  header_->max_blocks = max_blocks_;
  return Status();
}

Arena::~Arena() {
  unlink_file();
  if (base_ != nullptr) munmap(base_, kFirstBlockOffset + size_t{max_blocks_} * kBlockBytes);
  if (fd_ >= 0) close(fd_);
}

bool Arena::map_file(const std::string& path, size_t bytes) {
  std::string own_path = path;  // before there is a file: it throws when memory runs out
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  fd_ = fd;
  void* memory = MAP_FAILED;
  if (ftruncate(fd, static_cast<off_t>(bytes)) == 0 && reserve_pages(0, kFirstBlockOffset)) {
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  }
  if (memory == MAP_FAILED) {
    const int why = errno;
    unlink(path.c_str());
    close(fd);
    fd_ = -1;
    errno = why;
    return false;
  }
  base_ = static_cast<char*>(memory);
  path_ = std::move(own_path);
  struct statfs info;
  grows_anywhere_ = fstatfs(fd, &info) == 0 && info.f_type == TMPFS_MAGIC;
  return true;
}

// For a file: its pages exist afterwards, or this fails. For anonymous memory the kernel decides at
// first touch.
bool Arena::reserve_pages(size_t offset, size_t bytes) {
  if (fd_ < 0) return true;
  int rc;
  do {
    rc = fallocate(fd_, 0, static_cast<off_t>(offset), static_cast<off_t>(bytes));
  } while (rc != 0 && errno == EINTR);
  return rc == 0;
}

bool Arena::bring_in(BlockHeader* first, uint32_t count) {
  auto* memory = reinterpret_cast<char*>(first);
  const size_t bytes = size_t{count} * kBlockBytes;
  if (!reserve_pages(static_cast<size_t>(memory - base_), bytes)) return false;
  // Map the pages now, so that no producer takes a page fault. Kernels before 5.14 know no
  // MADV_POPULATE_WRITE.
  constexpr int kPopulateWrite = 23;
  if (madvise(memory, bytes, kPopulateWrite) != 0) {
    for (size_t page = 0; page < bytes; page += 4096)
      *static_cast<volatile char*>(memory + page) = 0;
  }
  return true;
}

uint32_t Arena::claim(uint32_t count, uint32_t* first) {
  const uint32_t hint = next_absent_.load(std::memory_order_relaxed);
  for (uint32_t tried = 0; tried < max_blocks_; ++tried) {
    const uint32_t begin = (hint + tried) % max_blocks_;
    uint32_t end = begin;
    State expected = State::Absent;
    while (end < max_blocks_ && end - begin < count &&
           states_[end].compare_exchange_strong(expected, State::Reserving,
                                                std::memory_order_acquire)) {
      expected = State::Absent;
      ++end;
    }
    if (end == begin) continue;
    next_absent_.store(end % max_blocks_, std::memory_order_relaxed);
    *first = begin;
    return end - begin;
  }
  return 0;
}

// One stretch, because one call for many blocks costs a fifth of many calls; a shorter one when
// memory is short.
uint32_t Arena::reserve_stretch(uint32_t count, uint32_t* first) {
  const uint32_t claimed = claim(count, first);
  uint32_t got = claimed;
  while (got > 0 && !bring_in(block(*first), got)) got /= 2;
  for (uint32_t i = 0; i < claimed; ++i) {
    states_[*first + i].store(i < got ? State::Present : State::Absent, std::memory_order_release);
  }
  return got;
}

BlockHeader* Arena::reserve_one() {
  uint32_t index = 0;
  return grows_anywhere_ && reserve_stretch(1, &index) == 1 ? block(index) : nullptr;
}

void Arena::release(BlockHeader* block) {
  auto* memory = reinterpret_cast<char*>(block);
  const auto offset = static_cast<off_t>(memory - base_);
  auto& state = states_[index_of(block)];
  state.store(State::Reserving, std::memory_order_release);
  if (fd_ >= 0) {
    fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, kBlockBytes);
  } else {
    madvise(memory, kBlockBytes, MADV_DONTNEED);
  }
  state.store(State::Absent, std::memory_order_release);
}

void Arena::unlink_file() {
  if (!path_.empty()) unlink(path_.c_str());
  path_.clear();
}

}  // namespace lockstep::plugin
