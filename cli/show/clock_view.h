// How `lockstep clock` and `lockstep align` show an alignment to people; clock_json.h has it for
// programs.
#pragma once

#include <string>

#include "analysis/clock/align.h"

namespace lockstep::cli {

std::string alignment_text(const analysis::Alignment& alignment);
// A line for each pair of hosts: impossible orders in their collectives before and after alignment.
std::string causality_table(const analysis::Alignment& alignment);

// "1.234 ms" with four digits; the sign is kept.
std::string duration_text(int64_t ns);

}  // namespace lockstep::cli
