// What the words on the control socket do: `status`, `progress`, `events KINDS`,
// `events +KINDS for 10s`, `flush`, `snapshot`, `interval US`, `capture ..`, `trace-permit`; before them `as USER@HOST`, where somebody on another host asks.
// Answers are JSON objects; a word nobody knows gets an "error". Called on the control socket's
// thread; changes are noted in the process's ledger, with who asked.
#pragma once

#include <sys/types.h>

#include <string>

#include "dumper/drain/dump_thread.h"
#include "dumper/drain/overhead.h"
#include "dumper/feeds/comm_progress.h"
#include "plugin/capture/capture.h"
#include "plugin/process/trace_permit.h"
#include "plugin/record/arena.h"
#include "plugin/record/event_switch.h"
#include "plugin/record/keeper.h"

namespace lockstep::plugin {

// What the words ask and change. All outlive the Control.
struct ControlledParts {
  EventSwitch& events;
  Keeper& keeper;
  dumper::DumpThread& dump;
  const dumper::Overhead& overhead;
  const dumper::CommProgress& progress;
  const Arena& arena;
  TracePermit& permit;
  Captures& captures;
};

// More than a healthy disk takes for what waits in memory.
constexpr uint64_t kLongestFlushUs = 5000000;

class Control {
 public:
  explicit Control(const ControlledParts& parts) : parts_(parts) {}

  // `asker`: the process that the kernel says asks, 0 = not known.
  std::string answer(const std::string& line, pid_t asker);

 private:
  std::string status() const;
  std::string set_events(const std::string& kinds, const std::string& by);
  std::string lend_events(const std::string& words, const std::string& by);
  std::string set_interval(const std::string& us, const std::string& by);
  std::string let_trace(pid_t asker, const std::string& by);

  ControlledParts parts_;
};

}  // namespace lockstep::plugin
