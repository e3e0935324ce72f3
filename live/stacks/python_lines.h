// Which line of its file a code object's instruction belongs to. Pure functions; a table that ends in the
// middle of an entry gives 0, as does an instruction that has no line.
#pragma once

#include <cstdint>
#include <string_view>

#include "live/stacks/python_layout.h"

namespace lockstep::live {

// `instruction` in bytes from the first; below 0 for a function that has not begun: its first line.
int32_t line_of(LineTable kind, std::string_view table, int32_t first_line, int64_t instruction);

}  // namespace lockstep::live
