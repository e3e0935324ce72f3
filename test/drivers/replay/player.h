// Plays one recorded log into a plugin, in this process: every recorded thread is a real thread,
// handles are what the plugin returned for the same event, contexts likewise. Calls on one event
// keep their recorded order across threads, init and finalize keep their place among all calls;
// beyond that threads run freely. One player per process.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "test/drivers/common/call_log.h"
#include "test/drivers/common/plugin.h"

namespace lockstep::driver {

// Virtual: at full speed, while the clocks say the recorded times (virtual_clock.h).
enum class Pace { Recorded, Fast, Virtual };

struct PlayOptions {
  Pace pace = Pace::Recorded;
  bool apply_mask = false;       // leave out what NCCL would not call under the plugin's mask
  int64_t start_mono_ns = 0;     // when the schedule's zero is, on CLOCK_MONOTONIC
  int64_t schedule_zero_ns = 0;  // the same instant on the recording's clock
  int64_t until_ns = -1;         // of the schedule; -1: to the end
};

// Which lines of the log are played under these options: the truth, without playing.
std::vector<uint32_t> lines_until(const CallLog& log, const PlayOptions& options);

class Player {
 public:
  Player(const CallLog& log, Plugin* plugin, const PlayOptions& options);
  void play();
  // For contexts the log left open: what a job does that destroys its communicators after all.
  void finalize_open_contexts();

 private:
  struct Event {
    std::atomic<void*> handle{nullptr};
    std::atomic<uint32_t> calls_done{0};
    bool graph_captured = false;  // of a group call
  };
  struct Planned {
    uint32_t line;
    uint32_t turn;    // calls on the same event that come first
    uint32_t fences;  // inits and finalizes that come first
    uint32_t before;  // for an init or finalize: calls of any kind that come first
  };

  void plan();
  void run_thread(uint32_t thread);
  void wait_for_turn(const Planned& planned, const LogLine& line) const;
  void wait_for_time(const LogLine& line) const;
  void set_time(const LogLine& line) const;
  void call(const LogLine& line);
  void start(const LogLine& line);
  bool wanted(const LogLine& line) const;
  bool reaches(const LogLine& line, const void* handle) const;

  const CallLog& log_;
  Plugin* plugin_;
  const PlayOptions options_;
  std::unique_ptr<Event[]> events_;
  std::vector<std::atomic<void*>> contexts_;
  std::vector<std::atomic<bool>> open_;
  std::vector<std::vector<Planned>> per_thread_;
  std::atomic<uint32_t> fences_done_{0};
  std::atomic<uint32_t> calls_done_{0};
};

}  // namespace lockstep::driver
