// What a line on the control socket says, before anything is done about it: who asks, the word and what
// belongs to it. The line may be anything. Plain functions of their arguments; errors are sentences for
// the asker.
#pragma once

#include <cstdint>
#include <string>

#include "dumper/options/event_mask.h"
#include "lockstep/status.h"

namespace lockstep::plugin {

// `[as USER@HOST ]WORD[ REST]`.
struct ControlLine {
  // Whom to name in notes, in plain letters: the one that `as` names, beyond the peer that the kernel
  // knows.
  std::string by;
  std::string word, rest;
};
Result<ControlLine> parse_control_line(const std::string& line);

// `KINDS`, as LOCKSTEP_EVENTS has them, or `none`.
Result<dumper::EventChoice> parse_kinds(const std::string& rest);

// `+KINDS for 10s`.
struct KindLoan {
  uint32_t kinds = 0;
  int64_t seconds = 0;  // 1 to 600
};
Result<KindLoan> parse_loan(const std::string& rest);

// Microseconds, of a dump interval.
Result<uint64_t> parse_interval_us(const std::string& rest);

}  // namespace lockstep::plugin
