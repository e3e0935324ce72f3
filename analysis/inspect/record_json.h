// One record as a JSON object with every field by its name, as `lockstep cat` prints it. Field names
// are those of the profiler ABI in snake case (record_fields.h). Any thread; nothing is kept.
#pragma once

#include <string>

#include "lockstep/read.h"

namespace lockstep::analysis {

// Appends to `line`, without a line's end. `process` is the one that the record is of.
void append_record_json(const lockstep_record& record, const lockstep_process& process,
                        std::string* line);

}  // namespace lockstep::analysis
