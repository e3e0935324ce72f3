// The stacks of a job for people: how long threads were stopped, the places where they stand with who is
// there and what NCCL knows of them, and the merged tree. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "live/places/stack_row.h"
#include "live/places/stack_tree.h"

namespace lockstep::cli {

std::string stacks_text(const std::vector<live::StackRow>& rows,
                        const std::vector<live::StackTree>& trees);

}  // namespace lockstep::cli
