// Captures of this process: armed on request, or begun by the program's own mark, they record more kinds for
// a while. When that begins is decided by rule on the spot, by CaptureWatch on NCCL's threads or here by
// the time; this class arms, keeps the limits whatever became of the asker, notes both ends in the
// segments, and says how it went. One capture at a time. Everything is in this process: nothing is
// left of it when the process dies.
//
// Called by the control socket's thread (answer) and the keeper's (look); neither NCCL's threads nor
// the program's ever wait for it. Time is given, so that tests need none.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "dumper/segment/capture_notes.h"
#include "plugin/capture/capture_cycle.h"
#include "plugin/capture/capture_session.h"
#include "plugin/record/event_switch.h"

namespace lockstep::plugin {

// What a capture asks of the recording around it.
struct CaptureSurroundings {
  // The communicator's number in this process; nothing where there is none of that id.
  std::function<std::optional<uint32_t>(uint64_t comm_id)> comm_of;
  // Arms capture_watch for calls of collectives on it, and says how many there were before those
  // that it counts. May take a second.
  std::function<Result<uint64_t>(uint32_t comm)> watch_calls;
  std::function<CaptureCosts()> costs;
  std::function<int64_t(uint64_t ticks)> raw_ns;  // CLOCK_MONOTONIC_RAW of a record's ticks
  std::function<uint64_t(int64_t ns)> ticks_in;   // the tick in so many
  // How far the kernel takes the wall clock to be from true time; nothing where it does not know.
  std::function<std::optional<int64_t>()> wall_bound_ns;
};

class Captures {
 public:
  struct Now {
    int64_t mono_ns = 0, real_ns = 0;
    static Now read();
  };
  // What comes late of the capture's operations is recorded for so long.
  static constexpr int64_t kLateNs = 5'000'000'000;
  // Between two beginnings by the program's mark.
  static constexpr int64_t kProgramPauseNs = 10'000'000'000;
  // So many windows of a cycle are noted: two notes each, where a ledger keeps a thousand.
  static constexpr uint64_t kNotedWindows = 200;

  // Both outlive this. `program_kinds`: those of captures that the program begins.
  Captures(EventSwitch& events, CaptureSurroundings surroundings, uint32_t program_kinds);

  // After the first communicator began: the program may begin captures.
  void open_to_program();
  // `arm ...`, `status [ID]`, `cancel ID`; `by`: for the notes.
  std::string answer(const std::string& words, const std::string& by, const Now& now);
  // From now on a window at each multiple of the cycle's period, by the wall clock.
  void set_cycle(const CaptureCycle& cycle, const Now& now);
  // Every few milliseconds. When it wants to be called again at the latest, in nanoseconds.
  int64_t look(const Now& now);
  // The recording pauses or ends.
  void end(const Now& now);

 private:
  std::string arm(const std::string& words, const std::string& by, const Now& now);
  Status arm_rule(const Now& now);
  std::string cancel(const Now& now);
  std::string status_answer(const CaptureSession& session) const;
  void take_program_capture(const Now& now);
  void begin_window(const Now& now);
  bool is_window(const CaptureSession& session) const;
  void keep_times(const Now& now);
  void end_early();
  void look_at_phase(const Now& now);
  dumper::NotedCapture noted() const;
  void note(const std::string& what);
  void tell_start();
  void settle(const Now& now);
  int64_t wait_ns(const Now& now) const;
  std::string place(bool stop) const;

  EventSwitch& events_;
  CaptureSurroundings surroundings_;
  uint32_t program_kinds_;
  mutable std::mutex mutex_;
  CaptureSession session_, asked_;  // the latter: the last one that was no window
  CaptureCycle cycle_;
  int64_t next_window_real_ns_ = 0;
  uint64_t windows_ = 0;
  bool all_told_ = false;
  uint64_t program_captures_ = 0;
  int64_t late_until_ns_ = 0;  // of CLOCK_MONOTONIC; 0 = nothing is kept
};

}  // namespace lockstep::plugin
