// The options that choose a part of a run, the same on every command that has them, and the sentences
// about values that are none.
#pragma once

#include <memory>
#include <string>

#include "base/command_line.h"
#include "dumper/run/selection.h"
#include "lockstep/status.h"

namespace lockstep::cli {

// The texts of --last, --from, --to, --ranks and --comm as they were given.
struct SelectionArguments {
  std::string last, from, to, ranks, comm;

  // Of a command about a run; `this` outlives the parsing. `until` names the option for the end:
  // "--to", but where a command has another --to.
  void add_to(base::Command* command, const char* until);
  bool given() const;
  // The error is wrong usage: which option, and what it takes.
  Result<dumper::Selection> selection() const;
};

}  // namespace lockstep::cli
