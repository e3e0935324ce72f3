#include "plugin/process/process.h"

#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "base/clock_ns.h"
#include "dumper/drain/file_size_signal.h"
#include "dumper/options/load_config.h"
#include "plugin/chain/chain.h"
#include "plugin/process/activation.h"
#include "plugin/process/recording.h"
#include "plugin/record/operation_sampling.h"
#include "plugin/record/recorder.h"
#include "plugin/record/start_event.h"

namespace lockstep::plugin {

int32_t own_pid = 0;

namespace {

// Of communicators that are not recorded: NCCL must see a context even when we are inert.
void* const kNoContext = to_handle(~EventId{0});

// Everything here is for init, finalize, exit and fork; the other callbacks know only `recorder`.
struct Process {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  bool decided = false;  // whether to record at all
  bool enabled = false;
  std::atomic<bool> child{false};  // after fork: inert for good
  Recording* recording = nullptr;  // never deleted: late callbacks use its arena
  uint32_t live_comms = 0;
};
Process process;

class Lock {
 public:
  Lock() { pthread_mutex_lock(&process.mutex); }
  ~Lock() { pthread_mutex_unlock(&process.mutex); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
};

// The child shares the parent's arena and has none of its threads: it stays inert for good and
// takes no lock.
void after_fork_in_child() {
  process.child.store(true, std::memory_order_relaxed);
  recorder.gate.store(0, std::memory_order_relaxed);
  forget_threads_after_fork();
}

// Runs as an exit handler and drains what no finalize did. Callbacks that come later return at once,
// or go on into the arena's file (Recording::end()).
void at_exit() {
  if (process.child.load(std::memory_order_relaxed)) return;
  const dumper::NoFileSizeSignal quiet;
  Lock lock;
  try {
    if (process.recording != nullptr) process.recording->end();
  } catch (...) {  // out of memory: what is not written is in the arena's file
  }
}

// `activation_mask` is a variable of the library's own, as the logger is a function of it.
bool start_recording(const CommFacts& facts, const int32_t* activation_mask) {
  if (process.recording == nullptr) {
    auto recording = std::make_unique<Recording>();
    const void* const logger = reinterpret_cast<const void*>(facts.log);
    if (!recording->prepare(facts, find_host_library({activation_mask, logger}))) return false;
    process.recording = recording.release();
    own_pid = static_cast<int32_t>(getpid());
    watch_thread_ends();
    pthread_atfork(nullptr, nullptr, after_fork_in_child);
    atexit(at_exit);
  }
  process.recording->resume();
  return true;
}

void record_init(const CommFacts& facts, uint64_t number) {
  CommInitRecord record;
  record.comm = number;
  record.comm_id = facts.id;
  record.name = intern(own_log(), facts.name);
  record.rank = static_cast<uint32_t>(facts.rank);
  record.ranks = static_cast<uint32_t>(facts.ranks);
  record.nodes = static_cast<uint32_t>(facts.nodes);
  record.abi_version = static_cast<uint16_t>(facts.abi_version);
  record_comm(record);
}

// A user who set our options expects a recording. One line a job, on stderr: NCCL's log is silent
// unless asked for.
void say_not_enabled() {
  const std::string sentence = dumper::not_enabled_notice(environ);
  if (!sentence.empty()) std::fprintf(stderr, "lockstep: %s\n", sentence.c_str());
}

void begin_recorded_comm(const CommFacts& facts, void** context, int32_t* activation_mask) {
  uint64_t number = recorder.arena->next_comm.fetch_add(1, std::memory_order_relaxed);
  *context = to_handle(number);
  if (number > kLastComm) number = kLastComm;
  process.recording->probe_clocks(facts);
  process.recording->snapshot_gpu(static_cast<uint32_t>(number));
  process.recording->begin_comm(static_cast<uint32_t>(number), activation_mask);
  operation_sampling.begin_comm(static_cast<uint32_t>(number), facts.ranks);
  record_init(facts, number);
}

bool begin_enabled_comm(const CommFacts& facts, void** context, int32_t* activation_mask) {
  const dumper::NoFileSizeSignal quiet;
  Lock lock;
  const int64_t began_ns = mono_now_ns();
  const bool first = process.recording == nullptr;
  if (!process.decided) {
    process.decided = true;
    process.enabled = is_enabled();
    if (!process.enabled && facts.rank == 0) say_not_enabled();
  }
  if (!process.enabled) return false;
  try {
    if (process.live_comms == 0 && !start_recording(facts, activation_mask)) {
      process.enabled = false;
      return false;
    }
    begin_recorded_comm(facts, context, activation_mask);
  } catch (...) {  // out of memory: no finalize will come that could stop the threads
    *context = kNoContext;
    *activation_mask = 0;
    if (process.live_comms == 0 && process.recording != nullptr) process.recording->pause();
    throw;
  }
  ++process.live_comms;
  if (first) process.recording->note_init(mono_now_ns() - began_ns);
  return true;
}

// Allocates nothing. The job goes on.
void say_no_memory(abi::DebugLogger log) {
  static constexpr char kSentence[] = "out of memory: this communicator is not recorded";
  if (log != nullptr) {
    log(abi::kLogWarn, abi::kLogAll, "lockstep", 0, "lockstep: %s", kSentence);
  } else {
    std::fprintf(stderr, "lockstep: %s\n", kSentence);
  }
}

}  // namespace

void begin_comm(const CommFacts& facts, void** context, int32_t* activation_mask) noexcept {
  if (context == nullptr || activation_mask == nullptr) return;
  *context = kNoContext;
  *activation_mask = 0;
  if (process.child.load(std::memory_order_relaxed)) return;
  try {
    if (!begin_enabled_comm(facts, context, activation_mask)) return;
    // Without our lock: another plugin's init may wait for another communicator's.
    if (Chain* const others = chain.load(std::memory_order_acquire))
      others->begin_comm(comm_of_context(*context), facts);
  } catch (...) {
    say_no_memory(facts.log);
  }
}

void end_comm(void* context) noexcept {
  if (!recording() || context == kNoContext) return;
  CommFinalizeRecord record;
  record.comm = comm_of_context(context);
  record_comm(record);
  if (Chain* const others = chain.load(std::memory_order_acquire))
    others->end_comm(comm_of_context(context));
  try {
    const dumper::NoFileSizeSignal quiet;
    Lock lock;
    if (process.live_comms == 0) return;
    process.recording->teardown_begins();
    if (--process.live_comms == 0) process.recording->pause();
  } catch (...) {
  }
}

}  // namespace lockstep::plugin
