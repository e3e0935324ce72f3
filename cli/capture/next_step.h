// The training step from which a capture of steps can begin, from the steps that the program has marked so
// far (docs/marks.md). One thread.
#pragma once

#include <cstdint>
#include <string>

#include "lockstep/status.h"

namespace lockstep::cli {

// The first that nobody will have begun when `arming_s` have passed, as far as their pace tells. The
// error: nobody marks steps.
Result<uint64_t> next_step(const std::string& run, double arming_s);

}  // namespace lockstep::cli
