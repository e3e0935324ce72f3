// What the words on the control socket do: `status`, `events KINDS`, `flush`, `snapshot`,
// `interval US`; before them `as USER@HOST`, where somebody on another host asks. Answers are JSON
// objects; a word nobody knows gets an "error". Called on the control socket's thread; changes are
// noted in the process's ledger, with who asked.
#pragma once

#include <string>

#include "dumper/drain/dump_thread.h"
#include "dumper/drain/overhead.h"
#include "plugin/record/event_switch.h"
#include "plugin/record/keeper.h"

namespace lockstep::plugin {

class Control {
 public:
  // All outlive this.
  Control(EventSwitch& events, Keeper& keeper, dumper::DumpThread& dump,
          const dumper::Overhead& overhead)
      : events_(events), keeper_(keeper), dump_(dump), overhead_(overhead) {}

  std::string answer(const std::string& line);

 private:
  std::string status() const;

  EventSwitch& events_;
  Keeper& keeper_;
  dumper::DumpThread& dump_;
  const dumper::Overhead& overhead_;
};

}  // namespace lockstep::plugin
