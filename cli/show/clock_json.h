// An alignment as one JSON object, for programs: `lockstep clock --json` and `lockstep align --json`.
// docs/clock.md has its schema.
#pragma once

#include <string>

#include "analysis/clock/align.h"

namespace lockstep::cli {

std::string alignment_json(const analysis::Alignment& alignment);

}  // namespace lockstep::cli
