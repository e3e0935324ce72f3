// One record as a JSON object with every field by its name (record_fields.h), as `lockstep cat`
// prints it. Field names are those of the profiler ABI in snake case. Any thread; nothing is kept.
#pragma once

#include <string>

#include "dumper/run/process_records.h"

namespace lockstep::analysis {

struct RecordPlace {
  std::string host;
  uint32_t pid = 0;
};

// Appends to `line`, without a line's end.
void append_record_json(const dumper::TimedRecord& record, const dumper::ProcessRecords& process,
                        const RecordPlace& place, std::string* line);

// The communicator a record belongs to.
uint32_t comm_of_record(const dumper::TimedRecord& record);

}  // namespace lockstep::analysis
