// Which processes a line is about, as people write it: "0-511,513-1023". Pure functions of the rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "live/places/stack_row.h"

namespace lockstep::live {

// Rows by index, ascending, each once.
using Members = std::vector<uint32_t>;

void add_member(Members* members, uint32_t row);

// "rank 3", "ranks 0-511,513-1023", "process 4711 on node7"; with both: ranks first.
std::string in_words(const Members& members, const std::vector<StackRow>& rows);

}  // namespace lockstep::live
