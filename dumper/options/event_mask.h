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

// The kind names of a mask joined by commas; `none` for 0.
std::string event_names(uint32_t mask);

}  // namespace lockstep::dumper
