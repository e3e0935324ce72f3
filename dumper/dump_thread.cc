#include "dumper/dump_thread.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "dumper/arena_strings.h"

namespace lockstep::dumper {
namespace {

// Without a word from the keeper (it could not be started) the dump thread looks by itself this
// often.
constexpr uint64_t kLongestSleepUs = 1000000;
constexpr uint64_t kRetryUs = 200000;  // after a failed write
constexpr uint64_t kFlushPollUs = 500;
constexpr size_t kMostNotes = 1000;  // a few times a second for minutes; then a change is not told

uint64_t thread_cpu_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000u + static_cast<uint64_t>(time.tv_nsec);
}

uint32_t bytes_of(uint64_t published) { return static_cast<uint32_t>(published); }

}  // namespace

DumpThread::DumpThread(BlockSource& source, const DumpOptions& options, Log log, void* log_self)
    : source_(source),
      writer_(options.segments, system_file_io()),
      log_(log),
      log_self_(log_self),
      zstd_level_(options.zstd_level),
      overhead_(options.overhead),
      arena_path_(options.arena_path),
      progress_(source.arena()->max_blocks) {
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
}

bool DumpThread::flush(uint64_t limit_us) {
  const uint64_t running = rounds_started_.load(std::memory_order_acquire);
  for (uint64_t waited_us = 0; rounds_done_.load(std::memory_order_acquire) <= running;
       waited_us += kFlushPollUs) {
    if (waited_us >= limit_us) return false;
    wake();
    usleep(kFlushPollUs);
  }
  return true;
}

void DumpThread::add_note(const std::string& note) {
  pthread_mutex_lock(&notes_mutex_);
  if (notes_.size() < kMostNotes) notes_.push_back(note);
  pthread_mutex_unlock(&notes_mutex_);
}

void DumpThread::close() {
  writer_.close();
  if (!arena_file_.empty()) unlink(arena_file_.c_str());
}

void* DumpThread::run(void* self) {
  static_cast<DumpThread*>(self)->loop();
  return nullptr;
}

void DumpThread::loop() {
  while (!stopping_.load(std::memory_order_relaxed)) {
    waker_.sleep_us(failing_ ? kRetryUs : kLongestSleepUs);
    round(false);
  }
}

void DumpThread::round(bool final) {
  const uint64_t number = rounds_started_.fetch_add(1, std::memory_order_acq_rel) + 1;
  const uint64_t cpu_before_ns = thread_cpu_ns();
  try {
    if (drain(final)) write_ledger(final);
  } catch (...) {  // out of memory: blocks stay where they are, for the next round or for recovery
  }
  end_round_of_consumers(final);
  cpu_ns_.fetch_add(thread_cpu_ns() - cpu_before_ns, std::memory_order_relaxed);
  rounds_done_.store(number, std::memory_order_release);
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
      log_(log_self_, "out of memory: one of the live outputs ends here, the segments go on");
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

// Open blocks are listed before the full ones are taken: a thread hands its old block over before
// it opens the next, so by the time an open block is in the list, everything its thread wrote
// before is in the queue, and comes first.
bool DumpThread::drain(bool final) {
  if (pending_ && !append_pending()) return false;
  const uint64_t started_ticks = source_.anchor_now().ticks;
  list_open_blocks(final);
  while (BlockHeader* block = source_.next_full()) {
    const uint64_t sequence = block->sequence.load(std::memory_order_acquire);
    take(block, sequence, bytes_of(block->published.load(std::memory_order_acquire)), true);
    closed_.push_back(block);
    if (encoder_.full() && !write_chunk()) return false;
  }
  for (const OpenPiece& open : open_) {
    if (open.block->sequence.load(std::memory_order_acquire) != open.sequence)
      continue;  // came as full meanwhile
    take(open.block, open.sequence, bytes_of(open.published), final);
    if (encoder_.full() && !write_chunk()) return false;
  }
  if (!encoder_.empty() && !write_chunk()) return false;
  complete_ticks_ = started_ticks;
  report(writer_.sync());
  return true;
}

void DumpThread::list_open_blocks(bool final) {
  open_.clear();
  for (uint32_t i = 0; i < source_.arena()->max_blocks; ++i) {
    BlockHeader* block = source_.block(i);
    if (block == nullptr) continue;
    const uint64_t sequence = block->sequence.load(std::memory_order_acquire);
    if (sequence == 0 || block->closed.load(std::memory_order_acquire) != 0) continue;
    const uint64_t published = block->published.load(std::memory_order_acquire);
    const Progress& progress = progress_[i];
    const uint32_t taken = progress.sequence == sequence ? progress.bytes : 0;
    if (bytes_of(published) > taken || final) open_.push_back({block, sequence, published});
  }
}

void DumpThread::take(BlockHeader* block, uint64_t sequence, uint32_t until_byte, bool closes) {
  Progress& progress = progress_[source_.index_of(block)];
  if (progress.sequence != sequence) progress = Progress{sequence, 0, nullptr};
  if (until_byte < progress.bytes) return;
  const std::atomic<uint64_t>* calls = closes ? calls_since_told(block, &progress) : nullptr;
  if (until_byte == progress.bytes && calls == nullptr) return;
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
  piece.closes_block = closes;
  piece.calls = calls;
  const uint32_t before = encoder_.records();
  encoder_.add(piece);
  records_taken_.fetch_add(encoder_.records() - before, std::memory_order_relaxed);
  progress.bytes = until_byte;
  give_to_consumers(piece);
}

// A final ledger tells the calls of open blocks too; should their threads go on, only what came
// since is told again. nullptr when there is nothing to tell.
const std::atomic<uint64_t>* DumpThread::calls_since_told(BlockHeader* block, Progress* progress) {
  auto delta = std::make_unique<std::atomic<uint64_t>[]>(kCallCells);
  bool news = false;
  if (progress->calls_told == nullptr)
    progress->calls_told = std::make_unique<std::atomic<uint64_t>[]>(kCallCells);
  for (unsigned cell = 0; cell < kCallCells; ++cell) {
    const uint64_t now = block->calls[cell].load(std::memory_order_relaxed);
    auto& told = progress->calls_told[cell];
    const uint64_t since = now - told.load(std::memory_order_relaxed);
    delta[cell].store(since, std::memory_order_relaxed);
    told.store(now, std::memory_order_relaxed);
    news = news || since != 0;
  }
  if (!news) return nullptr;
  calls_delta_.push_back(std::move(delta));
  return calls_delta_.back().get();
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

bool DumpThread::write_chunk() {
  collect_anchors();
  const ArenaStrings strings(*source_.arena());
  ChunkContext context;
  context.anchors = anchors_.data();
  context.anchor_count = anchors_.size();
  context.complete_ticks = complete_ticks_;
  context.strings = &strings;
  context.zstd_level = zstd_level_;
  const Status encoded = encoder_.finish(context, &chunk_);
  calls_delta_.clear();
  if (!encoded.ok()) {
    report(encoded);
    give_back_closed();
    return false;
  }
  pending_ = true;
  return append_pending();
}

bool DumpThread::append_pending() {
  const Status written = writer_.append(&chunk_);
  report(written);
  if (!written.ok()) return false;
  pending_ = false;
  news_since_end_ = true;
  tell_where_arena_is();
  give_back_closed();
  return true;
}

// After the first chunk, because only then is there a directory.
void DumpThread::tell_where_arena_is() {
  if (arena_path_.empty() || !arena_file_.empty()) return;
  const std::string path = writer_.path();
  const ArenaHeader& arena = *source_.arena();
  arena_file_ =
      path.substr(0, path.rfind('/') + 1) + arena.host + "." + std::to_string(arena.pid) + ".arena";
  const int fd =
      open(arena_file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return;  // recovery also looks for arenas by the directory named in their header
  const std::string line = arena_path_ + "\n";
  if (write(fd, line.data(), line.size()) < 0) unlink(arena_file_.c_str());
  ::close(fd);
}

void DumpThread::give_back_closed() {
  for (BlockHeader* block : closed_) {
    for (auto& calls : block->calls) calls.store(0, std::memory_order_relaxed);
    block->thread_name[0] = '\0';
    // First, so that a scan never takes an empty block for an open one.
    block->sequence.store(0, std::memory_order_release);
    block->published.store(0, std::memory_order_relaxed);
    source_.recycle(block);
  }
  closed_.clear();
}

// The keeper's anchors since the last chunk, the last of those before, and one taken now, so that
// every record lies between two.
void DumpThread::collect_anchors() {
  if (!anchors_.empty()) anchors_.erase(anchors_.begin(), anchors_.end() - 1);
  const ArenaHeader* arena = source_.arena();
  const uint64_t taken = arena->anchors_taken.load(std::memory_order_acquire);
  uint64_t next = taken > kArenaAnchors / 2 ? std::max(anchors_seen_, taken - kArenaAnchors / 2)
                                            : anchors_seen_;
  for (; next < taken; ++next) anchors_.push_back(arena->anchors[next % kArenaAnchors]);
  anchors_seen_ = taken;
  anchors_.push_back(source_.anchor_now());
}

void DumpThread::write_ledger(bool final) {
  const ArenaHeader& arena = *source_.arena();
  Ledger ledger;
  uint64_t lost = 0;
  for (const LossEntry& entry : arena.losses) {
    const uint64_t key = entry.key.load(std::memory_order_relaxed);
    const uint64_t count = entry.count.load(std::memory_order_relaxed);
    if (key == 0 || count == 0) continue;
    ledger.losses[key] = count;
    lost += count;
  }
  for (unsigned cell = 0; cell < kCallCells; ++cell) {
    ledger.calls_without_block[cell] =
        arena.calls_without_block[cell].load(std::memory_order_relaxed);
  }
  const bool notes = collect_notes(&ledger);
  if (lost == losses_told_ && !notes && !(final && news_since_end_)) return;
  losses_told_ = lost;
  if (final) news_since_end_ = false;
  ledger.raw_ns = source_.anchor_now().raw_ns;
  if (overhead_ != nullptr) {
    ledger.elapsed_ns = overhead_->elapsed_ns.load(std::memory_order_relaxed);
    ledger.callbacks_ns = overhead_->callbacks_ns.load(std::memory_order_relaxed);
    ledger.threads_ns = overhead_->threads_ns.load(std::memory_order_relaxed);
  }
  report(final ? writer_.append_end(ledger) : writer_.append_ledger(ledger));
}

bool DumpThread::collect_notes(Ledger* ledger) {
  pthread_mutex_lock(&notes_mutex_);
  ledger->notes = notes_;
  pthread_mutex_unlock(&notes_mutex_);
  const bool news = ledger->notes.size() != notes_told_;
  notes_told_ = ledger->notes.size();
  return news;
}

void DumpThread::report(const Status& status) {
  if (!status.ok() && !failing_) log_(log_self_, status.message());
  if (status.ok() && failing_) log_(log_self_, "writing again");
  failing_ = !status.ok();
}

}  // namespace lockstep::dumper
