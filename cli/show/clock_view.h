// How an alignment is shown, by `lockstep clock` and `lockstep align` alike: tables for people, one
// JSON object for programs (docs/clock.md has its schema).
#pragma once

#include <string>

#include "analysis/clock/align.h"

namespace lockstep::cli {

std::string alignment_text(const analysis::Alignment& alignment);
std::string alignment_json(const analysis::Alignment& alignment);

// "1.234 ms" with four digits; the sign is kept.
std::string duration_text(int64_t ns);

}  // namespace lockstep::cli
