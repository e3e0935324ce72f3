#include "dumper/drain/dump_thread.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "base/clock_ns.h"
#include "dumper/drain/driver_version.h"
#include "dumper/segment/arena_strings.h"
#include "dumper/segment/process_facts.h"

namespace lockstep::dumper {
namespace {

// The keeper wakes the dump thread once per dump interval, of which this is the longest.
constexpr uint64_t kLongestSleepUs = 3600000000;
constexpr uint64_t kRetryUs = 200000;  // after a failed write
constexpr uint64_t kFlushPollUs = 500;

uint32_t bytes_of(uint64_t published) { return static_cast<uint32_t>(published); }

}  // namespace

DumpThread::DumpThread(BlockSource& source, const DumpOptions& options, Log log, void* log_self)
    : source_(source),
      writer_(options.segments, system_file_io()),
      chunk_(source, writer_, options.zstd_level),
      ledger_(source, writer_, options.overhead),
      arena_pointer_(options.segments, options.arena_path),
      facts_(options.facts),
      root_(options.root),
      log_(log),
      log_self_(log_self),
      progress_(source.arena()->max_blocks),
      scan_(source.arena()->max_blocks) {
  writer_.set_facts(options.facts);
}

bool DumpThread::start() {
  stopping_.store(false, std::memory_order_relaxed);
  return thread_.start("lockstep-dump", run, this);
}

void DumpThread::finish() {
  stopping_.store(true, std::memory_order_relaxed);
  wake();
  thread_.join();
  round(true);
  chunk_.give_memory_back();
}

bool DumpThread::flush(uint64_t limit_us) {
  const uint64_t running = rounds_started_.load(std::memory_order_acquire);
  for (uint64_t waited_us = 0; rounds_whole_.load(std::memory_order_acquire) <= running;
       waited_us += kFlushPollUs) {
    if (waited_us >= limit_us) return false;
    wake();
    usleep(kFlushPollUs);
  }
  return true;
}

void DumpThread::publish_written() {
  const auto relaxed = std::memory_order_relaxed;
  forecast_.look(static_cast<uint64_t>(mono_now_ns()), writer_.bytes_written());
  bytes_written_.store(writer_.bytes_written(), relaxed);
  bytes_on_disk_.store(writer_.bytes_on_disk(), relaxed);
  bytes_per_hour_.store(forecast_.bytes_per_hour(), relaxed);
  complete_told_raw_ns_.store(complete_raw_ns_, relaxed);
}

DumpThread::Written DumpThread::written() const {
  const auto relaxed = std::memory_order_relaxed;
  return {bytes_written_.load(relaxed), bytes_on_disk_.load(relaxed), bytes_per_hour_.load(relaxed),
          complete_told_raw_ns_.load(relaxed)};
}

std::string DumpThread::close() {
  writer_.close();
  if (behind_) return failure_;
  if (!end_left_to_recovery_) arena_pointer_.remove();
  return {};
}

void* DumpThread::run(void* self) {
  static_cast<DumpThread*>(self)->loop();
  return nullptr;
}

// Here, and not where the other facts are found, because that is a thread of the job.
void DumpThread::add_driver_to_facts() {
  if (driver_looked_up_) return;
  driver_looked_up_ = true;
  const std::string version = driver_version(root_);
  ArenaHeader& arena = *source_.arena();
  const size_t bytes = std::min(version.size(), sizeof arena.driver_version);
  std::memcpy(arena.driver_version, version.data(), bytes);
  arena.driver_version_bytes.store(static_cast<uint32_t>(bytes), std::memory_order_release);
  if (bytes != 0) writer_.set_facts(with_driver_version(facts_, version));
}

void DumpThread::loop() {
  try {
    arena_pointer_.write();
    add_driver_to_facts();
  } catch (...) {  // out of memory: recovery looks for the arena without it
  }
  while (!stopping_.load(std::memory_order_relaxed)) {
    waker_.sleep_us(failure_.empty() ? kLongestSleepUs : kRetryUs);
    // The keeper wakes us ever more often while blocks pile up; a struggling disk or memory is not
    // polled faster for that.
    if (failure_.empty() || static_cast<uint64_t>(mono_now_ns()) >= retry_ns_) round(false);
  }
}

void DumpThread::round(bool final) {
  const uint64_t number = rounds_started_.fetch_add(1, std::memory_order_acq_rel) + 1;
  const int64_t cpu_before_ns = thread_cpu_now_ns();
  behind_ = true;
  try {
    report(write_round(final));
  } catch (...) {
    const bool news = failure_.empty();
    failure_ = "out of memory";  // short enough to need none
    if (news) log_(log_self_, failure_);
  }
  if (!failure_.empty()) retry_ns_ = static_cast<uint64_t>(mono_now_ns()) + kRetryUs * 1000;
  end_round_of_consumers(final);
  publish_written();
  cpu_ns_.fetch_add(static_cast<uint64_t>(thread_cpu_now_ns() - cpu_before_ns),
                    std::memory_order_relaxed);
  if (!behind_) rounds_whole_.store(number, std::memory_order_release);
  rounds_done_.store(number, std::memory_order_release);
}

Status DumpThread::write_round(bool final) {
  Status status = drain(final);
  tell_of_removed_segments();
  if (const std::string shed = ledger_.look_at_shedding(); !shed.empty()) log_(log_self_, shed);
  if (status.ok()) status = write_ledger(final);
  behind_ = !status.ok();
  return behind_ ? status : writer_.sync();
}

Status DumpThread::write_ledger(bool final) {
  if (!final) return ledger_.write_news();
  return end_left_to_recovery_ ? ledger_.write_exit() : ledger_.write_end();
}

void DumpThread::tell_of_removed_segments() {
  const uint32_t removed = writer_.segments_removed();
  if (removed == removed_told_) return;
  const std::string sentence = "segment files were deleted while their process was writing: " +
                               std::to_string(removed - removed_told_) +
                               "; what they held is counted as lost (disk)";
  add_note(sentence);
  log_(log_self_, sentence);
  removed_told_ = removed;
}

// A consumer that runs out of memory is let go; the segments matter more.
void DumpThread::give_to_consumers(const Piece& piece) {
  if (consumers_.empty()) return;
  const ArenaStrings strings(*source_.arena());
  for (size_t i = 0; i < consumers_.size(); ++i) {
    try {
      consumers_[i]->take(piece, strings);
    } catch (...) {
      consumers_.erase(consumers_.begin() + static_cast<ptrdiff_t>(i--));
      log_(log_self_, "out of memory: one live output stops here; segments are still written");
    }
  }
}

void DumpThread::end_round_of_consumers(bool final) {
  if (consumers_.empty()) return;
  const ArenaStrings strings(*source_.arena());
  const Round round{complete_ticks_, source_.anchor_now(), source_.arena(), &strings, final};
  for (RecordConsumer* consumer : consumers_) {
    try {
      consumer->end_round(round);
    } catch (...) {  // out of memory: the next round tries again
    }
  }
}

// Open blocks are looked for before the full ones are taken: a thread hands its old block over
// before it opens the next, so by the time an open block is found, everything its thread wrote
// before is in the queue, and comes first.
Status DumpThread::drain(bool final) {
  auto write = [&] {
    Status written = chunk_.write(complete_ticks_);
    if (written.ok()) ledger_.expect_end();
    return written;
  };
  Status status;
  if (!chunk_.empty() && !(status = write()).ok()) return status;
  const Anchor started = source_.anchor_now();
  scan_.look(source_);
  const uint64_t first_new = source_.arena()->next_sequence.load(std::memory_order_relaxed);
  uint32_t new_blocks = 0;
  while (next_full_ != nullptr ||
         (wants_more(final, new_blocks) && (next_full_ = source_.next_full()) != nullptr)) {
    const uint64_t sequence = next_full_->sequence.load(std::memory_order_acquire);
    if (sequence >= first_new) ++new_blocks;
    scan_.came(source_.index_of(next_full_));
    const uint64_t published = next_full_->published.load(std::memory_order_acquire);
    take(next_full_, sequence, bytes_of(published), final);
    next_full_ = nullptr;
    if (chunk_.full() && !(status = write()).ok()) return status;
  }
  const bool rest_is_for_last = !final && stopping_.load(std::memory_order_relaxed);
  for (const BlockScan::Open& open : scan_.open()) {
    if (rest_is_for_last) break;
    if (open.block->sequence.load(std::memory_order_acquire) != open.sequence)
      continue;  // came as full meanwhile
    if (open.unqueued) {
      open.block->closed.store(kClosed, std::memory_order_relaxed);  // so that it is found once
      next_full_ = open.block;
    }
    take(open.block, open.sequence, bytes_of(open.published), final);
    next_full_ = nullptr;
    if (chunk_.full() && !(status = write()).ok()) return status;
  }
  if (!chunk_.empty() && !(status = write()).ok()) return status;
  if (scan_.all_came() && !rest_is_for_last) {
    complete_ticks_ = started.ticks;
    complete_raw_ns_ = started.raw_ns;
  }
  return status;
}

// Threads that call faster than this one writes must not hold up a finalize or an exit. A last round
// takes what was recorded when it began; one that finish() waits for leaves even that to the last. Any
// other goes on until the queue is empty, or as many new blocks have come as there can be at a time.
bool DumpThread::wants_more(bool final, uint32_t new_blocks) const {
  if (new_blocks > source_.arena()->max_blocks) return false;
  if (final) return !scan_.all_came();
  return !stopping_.load(std::memory_order_relaxed);
}

// Nothing is remembered as taken before the chunk has it: add() throws when memory runs out.
void DumpThread::take(BlockHeader* block, uint64_t sequence, uint32_t until_byte, bool final) {
  const bool full = block == next_full_;
  Progress& progress = progress_[source_.index_of(block)];
  if (progress.sequence != sequence) progress = Progress{sequence, 0, false, nullptr};
  if (progress.whole || until_byte < progress.bytes) return;
  ChunkInHand::Calls calls;
  if (full || final) calls = calls_since_told(*block, progress);
  if (calls != nullptr && !full && progress.calls_told == nullptr)
    progress.calls_told = std::make_unique<std::atomic<uint64_t>[]>(kCallCells);
  if (until_byte == progress.bytes && calls == nullptr) {
    if (full) chunk_.give_back(block);
    return;
  }
  name_thread(block);
  Piece piece;
  piece.words = reinterpret_cast<const uint64_t*>(reinterpret_cast<const char*>(block) +
                                                  sizeof(BlockHeader) + progress.bytes);
  piece.bytes = until_byte - progress.bytes;
  piece.from_byte = progress.bytes;
  piece.tid = block->tid.load(std::memory_order_relaxed);
  std::memcpy(piece.thread_name, block->thread_name, sizeof piece.thread_name);
  piece.block_sequence = sequence;
  piece.previous_sequence = block->previous.load(std::memory_order_relaxed);
  piece.closes_block = full || final;
  piece.calls = calls.get();
  const ChunkInHand::Calls::pointer told = calls.get();
  chunk_.add(piece, std::move(calls), full ? block : nullptr);
  progress.bytes = until_byte;
  progress.whole = full;
  if (full) progress.calls_told.reset();
  for (unsigned cell = 0; told != nullptr && !full && cell < kCallCells; ++cell)
    progress.calls_told[cell].fetch_add(told[cell].load(std::memory_order_relaxed),
                                        std::memory_order_relaxed);
  give_to_consumers(piece);
}

// A last round tells the calls of open blocks too; should their threads go on, only what came since
// is told again. Null when there is nothing to tell.
ChunkInHand::Calls DumpThread::calls_since_told(const BlockHeader& block,
                                                const Progress& progress) {
  auto since = std::make_unique<std::atomic<uint64_t>[]>(kCallCells);
  bool news = false;
  for (unsigned cell = 0; cell < kCallCells; ++cell) {
    uint64_t calls = block.calls[cell].load(std::memory_order_relaxed);
    if (progress.calls_told != nullptr)
      calls -= progress.calls_told[cell].load(std::memory_order_relaxed);
    since[cell].store(calls, std::memory_order_relaxed);
    news = news || calls != 0;
  }
  return news ? std::move(since) : nullptr;
}

// NCCL names its threads after they have started, and reading a name is a system call: so it is
// read here.
void DumpThread::name_thread(BlockHeader* block) {
  if (block->thread_name[0] != '\0') return;
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%u/comm",
                block->tid.load(std::memory_order_relaxed));
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;  // the thread is gone
  const ssize_t got = read(fd, block->thread_name, sizeof block->thread_name - 1);
  ::close(fd);
  if (got > 0) block->thread_name[got - (block->thread_name[got - 1] == '\n' ? 1 : 0)] = '\0';
}

// Each change is said once.
void DumpThread::report(const Status& status) {
  const bool failed_before = !failure_.empty();
  failure_ = status.ok() ? std::string() : status.message();
  if (failed_before == !status.ok()) return;
  if (status.ok())
    return log_(log_self_, "writing again; the ledger counts what was shed meanwhile");
  log_(log_self_, behind_ ? failure_ +
                                "; records wait in memory, up to "
                                "LOCKSTEP_BUFFER_MB, and the write is retried"
                          : failure_);
}

}  // namespace lockstep::dumper
