// clock_model.json: the model beside the segments. One object; per host the arrays t, theta, lo, hi
// (ns, see clock_model.h) of equal length and `step_after`, the indices of knots that a step
// follows. Called offline; an error names the file and the byte or key.
#pragma once

#include <string>

#include "clocksync/record/clock_model.h"
#include "lockstep/status.h"

namespace lockstep::clocksync {

inline constexpr const char* kClockModelFile = "clock_model.json";

// Whole or not at all: a temporary file, then rename.
Status save_clock_model(const ClockModel& model, const std::string& path);
Result<ClockModel> load_clock_model(const std::string& path);

}  // namespace lockstep::clocksync
