// The options that choose a part of a run, the same on every command that has them, and the sentences
// about values that are none.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/command_line.h"
#include "dumper/run/selection.h"
#include "lockstep/status.h"

namespace lockstep::cli {

// "90", "90s", "1.5h", "1h30m"; a number without a unit is seconds.
std::optional<int64_t> duration_ns(const std::string& text);
// "2026-11-22T13:05:00Z", with or without a fraction of a second: since 1970.
std::optional<int64_t> utc_ns(const std::string& text);

// The texts of --last, --from, --to, --ranks, --comm and --capture as they were given.
struct SelectionArguments {
  std::string last, from, to, ranks, comm, capture;

  // Of a command about a run; `this` outlives the parsing. `until` names the option for the end:
  // "--to", but where a command has another --to.
  void add_to(base::Command* command, const char* until);
  bool given() const;
  // The error is wrong usage: which option, and what it takes.
  Result<dumper::Selection> selection() const;
  // With --capture: its part of the run, and where that is to be read (capture_choice.h). The error is
  // about the run.
  Status take_capture(std::string* directory, dumper::Selection* selection) const;
};

}  // namespace lockstep::cli
