// The stacks of a job as other tools read them. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "live/places/stack_row.h"
#include "live/places/stack_tree.h"

namespace lockstep::cli {

// "main;_start;main;train 31": the kind of thread, then its frames, then in how many samples. For
// flamegraph.pl, inferno, speedscope.
std::string folded_stacks(const std::vector<live::StackTree>& trees,
                          const std::vector<live::StackRow>& rows);

// https://www.speedscope.app/file-format-schema.json: a profile for each kind of thread.
std::string speedscope_json(const std::vector<live::StackTree>& trees,
                            const std::vector<live::StackRow>& rows);

}  // namespace lockstep::cli
