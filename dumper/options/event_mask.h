// From the words a user writes to NCCL's activation mask and back. Cold code; the plugin calls it
// once at its start.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lockstep/status.h"

namespace lockstep::dumper {

// `proxy`, `api,KernelCh`, `0x3f`: presets and kind names joined by commas, or one number. Case
// matters: `coll` is a preset, `Coll` the one kind.
Result<uint32_t> parse_events(std::string_view text);

// Kinds, and of which operations the deep ones among them are recorded: of each communicator's, one in
// so many (plugin/record/operation_sampling.h).
struct EventChoice {
  uint32_t kinds = 0;
  uint32_t one_in = 1;
};
constexpr uint32_t kMostOneIn = 65536;

// The same words, and `:1/N` behind them where not every operation's deep kinds are wanted.
Result<EventChoice> parse_event_choice(std::string_view text);

// The kind names of a mask joined by commas; `none` for 0. With `:1/N` where deep kinds are
// among them and N is not 1.
std::string event_names(uint32_t mask, uint32_t one_in = 1);

}  // namespace lockstep::dumper
