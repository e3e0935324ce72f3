// What the words on the control socket do: `status`, `events KINDS`, `flush`, `snapshot`,
// `interval US`, `trace-permit`; before them `as USER@HOST`, where somebody on another host asks.
// Answers are JSON objects; a word nobody knows gets an "error". Called on the control socket's
// thread; changes are noted in the process's ledger, with who asked.
#pragma once

#include <sys/types.h>

#include <string>

#include "dumper/drain/dump_thread.h"
#include "dumper/drain/overhead.h"
#include "plugin/process/trace_permit.h"
#include "plugin/record/event_switch.h"
#include "plugin/record/keeper.h"

namespace lockstep::plugin {

class Control {
 public:
  // All outlive this.
  Control(EventSwitch& events, Keeper& keeper, dumper::DumpThread& dump,
          const dumper::Overhead& overhead, TracePermit& permit)
      : events_(events), keeper_(keeper), dump_(dump), overhead_(overhead), permit_(permit) {}

  // `asker`: the process that the kernel says asks, 0 = not known.
  std::string answer(const std::string& line, pid_t asker);

 private:
  std::string status() const;
  std::string let_trace(pid_t asker, const std::string& by);

  EventSwitch& events_;
  Keeper& keeper_;
  dumper::DumpThread& dump_;
  const dumper::Overhead& overhead_;
  TracePermit& permit_;
};

}  // namespace lockstep::plugin
