// A process as a note beside a run names it, for whoever would reach it or clear away after it: the members
// host, boot_id, pid and process_start of a JSON object that says more. Whether it is gone tells process_state().
// Pure functions, any thread.
#pragma once

#include <string_view>

#include "dumper/run/process_state.h"
#include "lockstep/status.h"

namespace lockstep {
class JsonFields;
}

namespace lockstep::dumper {

// Into the object that is being written.
void put_process(const ProcessIdentity& process, JsonFields* object);
// The error: it is no JSON object, or names no process.
Result<ProcessIdentity> process_of_note(std::string_view json);

}  // namespace lockstep::dumper
