// The hot path: what happens on NCCL's own threads for one call. Read the clock, write a few words
// into this thread's open block, publish them. No lock, no allocation, no system call (but one
// gettid when a thread records for the first time), no exception, no pointer followed. What is not
// recorded is counted: nothing leaves here without a trace.
//
// Everything is inline or a template so that an adapter's record is written in place; the rare ways
// out (a full block, a switched-off kind) are in recorder.cc.
#pragma once

#include <atomic>
#include <cstdint>

#include "lockstep/record_shape.h"
#include "lockstep/shared_blocks.h"
#include "plugin/record/block_queue.h"
#include "plugin/record/tick_clock.h"

namespace lockstep::plugin {

class Arena;

// What a thread needs to record. Zero at thread start; handed over when the thread ends
// (recorder.cc).
struct ThreadLog {
  BlockHeader* block;
  char* cursor;  // next free byte of the block's payload
  char* limit;
  uint32_t records;  // published in this block
  uint32_t tid;
  uint64_t serial, serial_end;  // event serials this thread may still hand out
  uint64_t sequence;            // of the current or last block
  BlockQueue::Seat* seat;
  static constexpr unsigned kPeerWaits = 16;
  uint64_t peer_waits[kPeerWaits];  // steps whose first SendPeerWait is recorded, by serial
  struct CachedString {
    const char* text;
    uint16_t number;
  };
  static constexpr unsigned kCachedStrings = 32;
  CachedString strings[kCachedStrings];  // by pointer: NCCL's names are literals
  uint32_t strings_epoch;
};
// __thread and not thread_local: the latter, declared in another file, costs a call to see whether
// it needs construction.
extern __thread ThreadLog thread_log;

// Once per call: without the empty asm the compiler asks the loader for the address at each use.
inline ThreadLog& own_log() {
  ThreadLog* log = &thread_log;
  asm("" : "+r"(log));
  return *log;
}

// One per process, constant-initialised, never destroyed: callbacks may come after every
// destructor.
struct Recorder {
  static constexpr uint64_t kOn = uint64_t{1} << 63, kAllKinds = 0xffff;
  // Some kinds are watched: their starts leave the short way (watched_start()), so that those who
  // watch nothing pay nothing.
  static constexpr uint64_t kWatching = uint64_t{1} << 16;
  static constexpr uint64_t kTakesStarts = kAllKinds | kWatching;
  static constexpr uint64_t kWatchingSteps = uint64_t{1} << 62;
  static constexpr unsigned kShedShift = 17, kEnabledShift = 33;
  // kOn | kWatchingSteps | kinds enabled << 33 | kinds shed for memory << 17 | kWatching | kinds enabled that nobody
  // watches. 0 = inert: every call returns at once.
  std::atomic<uint64_t> gate{0};
  // Kinds, and kWatchSteps for the program's marks of steps; as of the next set_kinds().
  static constexpr uint32_t kWatchSteps = 1u << 16;
  std::atomic<uint32_t> watched{0};
  ArenaHeader* arena = nullptr;
  Arena* memory = nullptr;  // what `arena` is the head of
  BlockQueue* queue = nullptr;
  // Blocks that could still be had before the cap: free ones and those not reserved yet.
  std::atomic<int32_t> available{0};
  int32_t max_blocks = 0;
  std::atomic<uint32_t> strings_epoch{0};  // raised when libnccl may have been reloaded
  // What the bits of this process's library and table mean to us (profiler_versions.h). Set once,
  // before the first callback.
  uint32_t known_kinds = kAllKinds;

  // Opens the gate. Any thread, without a lock.
  void set_kinds(uint32_t kinds);
  // The same where the gate is open, else nothing: for threads that nobody waits for at exit.
  void change_kinds(uint32_t kinds);
  // Blocks that hold records at this moment. Any thread.
  uint32_t blocks_in_use() const {
    const int32_t used = max_blocks - available.load(std::memory_order_relaxed);
    return used > 0 ? static_cast<uint32_t>(used) : 0;
  }
  // A block came back; may end shedding.
  void block_returned();
  // Which kinds to shed with this many blocks left, when `shed` are shed already. The classes are in
  // recorder.cc.
  static uint32_t shed_kinds(int32_t available, int32_t max_blocks, uint32_t shed = 0);

 private:
  void put_kinds(uint64_t seen, uint32_t kinds, bool open);
};
extern Recorder recorder;

// Makes pthread call back when a recording thread ends. Once per process, cold.
void watch_thread_ends();
// Threads that have recorded and not ended, the caller's left out. For the exit handler.
int32_t other_recording_threads();
// After fork the child must not touch the parent's arena.
void forget_threads_after_fork();

bool next_block(ThreadLog& log);
void next_serials(ThreadLog& log);
void count_call_without_block(unsigned kind, Call call);
void count_loss(uint32_t comm, unsigned kind, Call call, Loss why);
// A start of a kind whose bit in the gate is clear: true when it is recorded all the same, because the
// kind is watched. `ticks`: those of the record; `number`: what operation_sampling chooses an operation by.
bool watched_start(uint64_t gate, uint64_t ticks, uint32_t comm, Kind kind, EventId parent,
                   uint64_t number);
// A start of a kind that is switched off; with every kind off, as good as inert: not even counted.
void filtered_start(uint32_t comm, Kind kind, void** handle);
// A state or stop without a handle.
void call_without_handle(Call call);
// A start of a type, or a state, that the bound table does not have: which one, for the reader.
void count_unknown_type(uint64_t type);
void count_unknown_state(unsigned state);
uint16_t intern_slow(ThreadLog& log, const char* text);

inline void count_call(ThreadLog& log, unsigned kind, Call call) {
  if (__builtin_expect(log.block == nullptr, 0) && !next_block(log)) {
    count_call_without_block(kind, call);
    return;
  }
  auto& count = log.block->calls[kind * kCalls + static_cast<unsigned>(call)];
  count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

// Room for a record of this many words, or nullptr when the cap is reached.
inline uint64_t* reserve(ThreadLog& log, unsigned words) {
  if (__builtin_expect(log.cursor + size_t{words} * 8 > log.limit || log.block == nullptr, 0) &&
      !next_block(log))
    return nullptr;
  return reinterpret_cast<uint64_t*>(log.cursor);
}

// Makes the record visible; pairs with the acquire in DumpThread::list_open_blocks() and in
// recovery.
inline void publish(ThreadLog& log, unsigned words) {
  log.cursor += size_t{words} * 8;
  ++log.records;
  const auto bytes = static_cast<uint32_t>(log.cursor - reinterpret_cast<char*>(log.block + 1));
  log.block->published.store(pack_published(log.records, bytes), std::memory_order_release);
}

// A handle is an integer that nobody follows.
// NOLINTNEXTLINE(performance-no-int-to-ptr)
inline void* to_handle(EventId id) { return reinterpret_cast<void*>(id); }
inline EventId to_id(const void* handle) { return reinterpret_cast<EventId>(handle); }

// The communicator a context names; kUnknownComm for NULL, foreign or invented ones.
inline uint32_t comm_of_context(const void* context) {
  const auto number = reinterpret_cast<uint64_t>(context);
  if (number == 0 || number >= recorder.arena->next_comm.load(std::memory_order_relaxed))
    return kUnknownComm;
  return number < kLastComm ? static_cast<uint32_t>(number) : kLastComm;
}

inline uint16_t intern(ThreadLog& log, const char* text) {
  if (text == nullptr) return kNullString;
  const auto& cached =
      log.strings[reinterpret_cast<uintptr_t>(text) / 4 % ThreadLog::kCachedStrings];
  return __builtin_expect(cached.text == text, 1) ? cached.number : intern_slow(log, text);
}

inline uint64_t no_number() { return 0; }

// Records the start of an event; `fields(log)` gives a Record (record_fields.h) without its id and
// parent, and is asked only when there is room for it; `number()` only when the kind is watched.
// Always sets *handle.
template <typename Record, typename Fields, typename Number = uint64_t (*)()>
[[gnu::always_inline]] inline void record_start(uint32_t comm, const void* parent, void** handle,
                                                Fields fields, Number number = no_number) {
  constexpr Kind kKind = static_cast<Kind>(kTagOf<Record>);
  constexpr unsigned kWords = Record::kWords;
  constexpr unsigned kBit = static_cast<unsigned>(kKind);
  const uint64_t gate = recorder.gate.load(std::memory_order_relaxed);
  uint64_t watched_ticks = 0;  // known to be 0 on the short way
  if (__builtin_expect((gate >> kBit & 1) == 0, 0)) {
    watched_ticks = now_ticks();
    if (!watched_start(gate, watched_ticks, comm, kKind, to_id(parent), number()))
      return filtered_start(comm, kKind, handle);
  }
  ThreadLog& log = own_log();
  const uint64_t ticks = watched_ticks != 0 ? watched_ticks : now_ticks();
  count_call(log, kBit, Call::Start);
  uint64_t* words = nullptr;
  if (__builtin_expect((gate >> (kBit + Recorder::kShedShift) & 1) == 0, 1))
    words = reserve(log, kWords);
  if (__builtin_expect(words == nullptr, 0)) {
    *handle = to_handle(make_unrecorded_id(kKind, comm, Loss::Memory));
    count_loss(comm, kBit, Call::Start, Loss::Memory);
    return;
  }
  if (__builtin_expect(log.serial == log.serial_end, 0)) next_serials(log);
  const EventId id = make_event_id(kKind, comm, log.serial++);
  Record record = fields(log);
  record.id = id;
  record.parent = to_id(parent);
  words[0] = make_word0(kTagOf<Record>, ticks);
  record.write(words);
  *handle = to_handle(id);
  publish(log, kWords);
}

// Why a state or stop of this handle is not recorded; Loss{} when it is.
inline Loss loss_of(EventId id, uint64_t gate) {
  if (__builtin_expect(is_unrecorded(id), 0)) {
    const auto why = static_cast<unsigned>(loss_in(id));
    return why != 0 && why < kLosses ? static_cast<Loss>(why) : Loss::Unknown;
  }
  const bool shed = (gate >> (static_cast<unsigned>(kind_of(id)) + Recorder::kShedShift) & 1) != 0;
  return __builtin_expect(shed, 0) ? Loss::Memory : Loss{};
}

inline void record_stop(const void* handle) {
  if (__builtin_expect(handle == nullptr, 0)) return call_without_handle(Call::Stop);
  const uint64_t gate = recorder.gate.load(std::memory_order_relaxed);
  ThreadLog& log = own_log();
  const uint64_t ticks = now_ticks();
  const EventId id = to_id(handle);
  const auto kind = static_cast<unsigned>(kind_of(id));
  count_call(log, kind, Call::Stop);
  Loss why = loss_of(id, gate);
  uint64_t* words = nullptr;
  if (__builtin_expect(why == Loss{}, 1)) {
    words = reserve(log, 2);
    if (words == nullptr) why = Loss::Memory;
  }
  if (__builtin_expect(words == nullptr, 0)) return count_loss(comm_of(id), kind, Call::Stop, why);
  words[0] = make_word0(stop_tag(kind_of(id)), ticks);
  words[1] = id;
  publish(log, 2);
}

// A repeat of SendPeerWait for the same step: NCCL calls at poll rate while the peer gives no
// credit. The first tells when the wait began; of the others only the count is kept.
inline bool is_repeat(ThreadLog& log, EventId id, unsigned state) {
  if (__builtin_expect(state != kSendPeerWait, 1)) return false;
  uint64_t& last = log.peer_waits[serial_of(id) % ThreadLog::kPeerWaits];
  if (last == id) return true;
  last = id;
  return false;
}

// KernelPhaseStop is the one state whose meaning the table's version does not settle: RCCL has
// another one there. Rare, as its kind is recorded only on request.
inline Loss loss_of_late_state(EventId id, unsigned state, uint64_t gate) {
  const bool known = (recorder.known_kinds >> static_cast<unsigned>(Kind::KernelPhase) & 1) != 0;
  if (state == kKernelPhaseStop && known) return loss_of(id, gate);
  count_unknown_state(state);
  return Loss::Unknown;
}

// `argument` is looked at only for states that define one. The table has the states below
// `kStatesEnd`.
template <unsigned kStatesEnd>
inline void record_state(const void* handle, unsigned state, uint64_t argument) {
  if (__builtin_expect(handle == nullptr, 0)) return call_without_handle(Call::State);
  const uint64_t gate = recorder.gate.load(std::memory_order_relaxed);
  ThreadLog& log = own_log();
  const uint64_t ticks = now_ticks();
  const EventId id = to_id(handle);
  const auto kind = static_cast<unsigned>(kind_of(id));
  count_call(log, kind, Call::State);
  constexpr unsigned kSettled = kStatesEnd < kKernelPhaseStop ? kStatesEnd : kKernelPhaseStop;
  Loss why{};
  if (__builtin_expect(state < kSettled, 1)) {
    why = loss_of(id, gate);
  } else if (kStatesEnd > kKernelPhaseStop) {
    why = loss_of_late_state(id, state, gate);
  } else {
    count_unknown_state(state);
    why = Loss::Unknown;
  }
  if (why == Loss{} && __builtin_expect(is_repeat(log, id, state), 0)) why = Loss::Folded;
  const unsigned words_needed = state_has_argument(state) ? 3 : 2;
  uint64_t* words = nullptr;
  if (__builtin_expect(why == Loss{}, 1)) {
    words = reserve(log, words_needed);
    if (words == nullptr) why = Loss::Memory;
  }
  if (__builtin_expect(words == nullptr, 0)) return count_loss(comm_of(id), kind, Call::State, why);
  words[0] = make_word0(state_tag(state), ticks);
  words[1] = id;
  words[2] = argument;  // beyond a two-word record: overwritten by the next one, and inside the
                        // block (see kSlackBytes)
  publish(log, words_needed);
}

// Records of a communicator's own life. Cold: init, finalize.
template <typename Record>
void record_comm(const Record& record) {
  ThreadLog& log = own_log();
  uint64_t* words = reserve(log, Record::kWords);
  if (words == nullptr) return;
  words[0] = make_word0(kTagOf<Record>, now_ticks());
  record.write(words);
  publish(log, Record::kWords);
}

inline bool recording() {
  return (recorder.gate.load(std::memory_order_relaxed) & Recorder::kOn) != 0;
}
// With every kind switched off a start is not even counted, and neither are the states and stops
// that NCCL makes without a handle then; what was under way still ends.
inline bool takes_starts() {
  return (recorder.gate.load(std::memory_order_relaxed) & Recorder::kTakesStarts) != 0;
}
inline bool takes_call_on(const void* handle) {
  return (recorder.gate.load(std::memory_order_relaxed) &
          (handle != nullptr ? Recorder::kOn : Recorder::kTakesStarts)) != 0;
}

}  // namespace lockstep::plugin
