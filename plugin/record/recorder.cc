#include "plugin/record/recorder.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "lockstep/kind_mask.h"
#include "plugin/record/arena.h"
#include "plugin/record/loss_table.h"
#include "plugin/record/string_table.h"

namespace lockstep::plugin {

__thread ThreadLog thread_log;
Recorder recorder;

namespace {

pthread_key_t thread_end_key;
bool thread_end_watched = false;
// Those that entered and have not left. Where their ends cannot be watched it only grows.
std::atomic<int32_t> recording_threads{0};

// A record may write one word past itself (record_state); the block keeps that much room behind its
// limit.
constexpr size_t kSlackBytes = 8;
// Serials are taken from the process in ranges, so that the shared counter is touched once per so
// many starts.
constexpr uint64_t kSerialRange = 4096;

// What is given up when memory runs out: each class once only so many 32nds of the cap are left.
// Operations and the calls that asked for them (everything not named) are recorded until the last
// block. The brackets around operations go too, because at the highest rates they alone fill memory
// faster than anybody writes it. The quarter that is left then lasts while the dump thread gets no
// processor; where the cap is small that time is no shorter, so there all classes go earlier.
struct ShedClass {
  int32_t parts;
  uint32_t kinds;
};
constexpr int32_t kParts = 32;
constexpr ShedClass kShedClasses[] = {
    {16, kind_bit(Kind::NetPlugin)},
    {15, kind_bit(Kind::ProxyCtrl)},
    {14, kind_bit(Kind::ProxyStep)},
    {13, kind_bit(Kind::KernelPhase) | kind_bit(Kind::CeSync) | kind_bit(Kind::CeBatch)},
    {11, kind_bit(Kind::ProxyOp)},
    {10, kind_bit(Kind::KernelCh)},
    {8, kind_bit(Kind::Group) | kind_bit(Kind::GroupApi) | kind_bit(Kind::KernelLaunch)},
};
// 4 MiB: some 6 ms of nothing but operations on two processors.
constexpr int32_t kBlocksForOperations = 64;
constexpr int32_t kPartsForOperations = kShedClasses[std::size(kShedClasses) - 1].parts;
constexpr int32_t kMostPartsEarlier = 6;
// A class comes back at this many parts more than it went at. Two would do against flicker; eight
// keep it from taking at once what operations need until the next chunk is written.
constexpr int32_t kPartsToComeBack = 8;

// By how many blocks each class goes earlier than at its parts of the cap.
int32_t blocks_earlier(int32_t max_blocks) {
  const int32_t missing = kBlocksForOperations - kPartsForOperations * max_blocks / kParts;
  return std::clamp(missing, 0, kMostPartsEarlier * max_blocks / kParts);
}

// The count is read again at each try: a thread that was held up in here must not bring back what
// was shed meanwhile.
void apply_shedding() {
  constexpr uint64_t kShedMask = Recorder::kAllKinds << Recorder::kShedShift;
  uint64_t gate = recorder.gate.load(std::memory_order_relaxed);
  uint64_t wanted = 0;
  do {
    const auto shed_now = static_cast<uint32_t>((gate & kShedMask) >> Recorder::kShedShift);
    const uint64_t shed = Recorder::shed_kinds(recorder.available.load(std::memory_order_relaxed),
                                               recorder.max_blocks, shed_now);
    wanted = (gate & ~kShedMask) | shed << Recorder::kShedShift;
  } while ((gate & Recorder::kOn) != 0 && gate != wanted &&
           !recorder.gate.compare_exchange_weak(gate, wanted, std::memory_order_relaxed));
}

void close_block(ThreadLog& log) {
  BlockHeader* block = log.block;
  log.block = nullptr;
  log.cursor = log.limit = nullptr;
  block->closed.store(kClosed, std::memory_order_release);
  if (!recorder.queue->push_full(log.seat, block))
    block->closed.store(kClosedUnqueued, std::memory_order_release);
}

void enter_thread(ThreadLog& log) {
  log.tid = static_cast<uint32_t>(syscall(SYS_gettid));
  log.seat = recorder.queue->claim_seat();
  recording_threads.fetch_add(1, std::memory_order_relaxed);
  if (thread_end_watched) pthread_setspecific(thread_end_key, &log);
}

// The thread ends: its block goes to the dump thread as it is. Calls that other destructors of this
// thread still make begin a new block; pthread then runs this again.
void leave_thread(void* log_pointer) {
  ThreadLog& log = *static_cast<ThreadLog*>(log_pointer);
  if (!recording()) return;
  if (log.block != nullptr) close_block(log);
  if (log.seat != nullptr) BlockQueue::release_seat(log.seat);
  log.seat = nullptr;
  log.tid = 0;
  recording_threads.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace

void Recorder::put_kinds(uint64_t seen, uint32_t kinds, bool open) {
  constexpr uint64_t kShed = kAllKinds << kShedShift;
  const uint64_t enabled = kinds & kAllKinds;
  const uint32_t watched_now = watched.load(std::memory_order_relaxed);
  const uint64_t long_way = watched_now & kAllKinds;
  const uint64_t wanted = kOn | enabled << kEnabledShift | (enabled & ~long_way) |
                          (long_way != 0 ? kWatching : 0) |
                          ((watched_now & kWatchSteps) != 0 ? kWatchingSteps : 0);
  while ((open || (seen & kOn) != 0) &&
         !gate.compare_exchange_weak(seen, (seen & kShed) | wanted, std::memory_order_release,
                                     std::memory_order_relaxed)) {
  }
}

void Recorder::set_kinds(uint32_t kinds) {
  put_kinds(gate.load(std::memory_order_relaxed), kinds, true);
}

void Recorder::change_kinds(uint32_t kinds) {
  put_kinds(gate.load(std::memory_order_relaxed), kinds, false);
}

void Recorder::block_returned() {
  available.fetch_add(1, std::memory_order_relaxed);
  apply_shedding();
}

uint32_t Recorder::shed_kinds(int32_t available, int32_t max_blocks, uint32_t shed) {
  const int32_t earlier = blocks_earlier(max_blocks);
  uint32_t kinds = 0;
  for (const ShedClass& c : kShedClasses) {
    const int32_t margin = (shed & c.kinds) != 0 ? kPartsToComeBack : 0;
    if (available < (c.parts + margin) * max_blocks / kParts + earlier) kinds |= c.kinds;
  }
  return kinds;
}

void watch_thread_ends() {
  thread_end_watched = pthread_key_create(&thread_end_key, leave_thread) == 0;
}

int32_t other_recording_threads() {
  return recording_threads.load(std::memory_order_relaxed) - (own_log().tid != 0 ? 1 : 0);
}

void forget_threads_after_fork() { thread_log = ThreadLog{}; }

bool next_block(ThreadLog& log) {
  if (log.tid == 0) enter_thread(log);
  const uint32_t epoch = recorder.strings_epoch.load(std::memory_order_relaxed);
  if (log.strings_epoch != epoch) {
    for (auto& cached : log.strings) cached = {};
    log.strings_epoch = epoch;
  }
  if (log.block != nullptr) close_block(log);
  BlockHeader* block = recorder.queue->pop_free(log.seat);
  if (block == nullptr) block = recorder.memory->reserve_one();
  if (block == nullptr) return false;
  recorder.available.fetch_sub(1, std::memory_order_relaxed);
  apply_shedding();
  block->previous.store(log.sequence, std::memory_order_relaxed);
  log.sequence = recorder.arena->next_sequence.fetch_add(1, std::memory_order_relaxed);
  block->tid.store(log.tid, std::memory_order_relaxed);
  block->closed.store(0, std::memory_order_relaxed);
  block->published.store(0, std::memory_order_relaxed);
  // Last, with release: whoever scans the arena and sees the sequence sees an empty, owned block.
  block->sequence.store(log.sequence, std::memory_order_release);
  log.block = block;
  log.records = 0;
  log.cursor = reinterpret_cast<char*>(block) + sizeof(BlockHeader);
  log.limit = reinterpret_cast<char*>(block) + kBlockBytes - kSlackBytes;
  return true;
}

void next_serials(ThreadLog& log) {
  log.serial = recorder.arena->next_serial.fetch_add(kSerialRange, std::memory_order_relaxed);
  log.serial_end = log.serial + kSerialRange;
}

void count_call_without_block(unsigned kind, Call call) {
  if (kind == kMarkKind) {
    recorder.arena->marks_without_block.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  recorder.arena->calls_without_block[kind * kCalls + static_cast<unsigned>(call)].fetch_add(
      1, std::memory_order_relaxed);
}

void count_loss(uint32_t comm, unsigned kind, Call call, Loss why) {
  LossTable(recorder.arena->losses).add(comm, kind, call, why, 1);
}

void filtered_start(uint32_t comm, Kind kind, void** handle) {
  count_call(thread_log, static_cast<unsigned>(kind), Call::Start);
  count_loss(comm, static_cast<unsigned>(kind), Call::Start, Loss::Filtered);
  *handle = to_handle(make_unrecorded_id(kind, comm, Loss::Filtered));
}

void call_without_handle(Call call) {
  count_call(thread_log, kUnknownKind, call);
  count_loss(kUnknownComm, kUnknownKind, call, Loss::Unknown);
}

void count_unknown_type(uint64_t type) {
  const bool one_bit = type != 0 && (type & (type - 1)) == 0;
  const auto bit = one_bit ? static_cast<unsigned>(__builtin_ctzll(type)) : kUnknownNumbers - 1;
  recorder.arena->unknown_kinds[bit].fetch_add(1, std::memory_order_relaxed);
}

void count_unknown_state(unsigned state) {
  recorder.arena->unknown_states[std::min(state, kUnknownNumbers - 1)].fetch_add(
      1, std::memory_order_relaxed);
}

uint16_t intern_slow(ThreadLog& log, const char* text) {
  const uint16_t number = StringTable(recorder.arena).intern(text);
  log.strings[reinterpret_cast<uintptr_t>(text) / 4 % ThreadLog::kCachedStrings] = {text, number};
  return number;
}

}  // namespace lockstep::plugin
