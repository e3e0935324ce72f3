// All captures of a run: those with a file (capture_file.h), and those that only the processes' own notes
// tell of (segment/capture_notes.h), as the program or LOCKSTEP_CAPTURE_EVERY began them. Reads the last few
// MiB of each process at most. Any thread.
#pragma once

#include <string>
#include <vector>

#include "dumper/run/capture_file.h"
#include "dumper/run/run_directory.h"

namespace lockstep::dumper {

// Without a file, by when the first of its processes began it. Of a process that noted an id again the last.
std::vector<Capture> captures_in_notes(const RunDirectory& run);

// Those with a file first, by id. `damage` gets a sentence for each file that is none.
std::vector<Capture> all_captures(const std::string& run, std::vector<std::string>* damage);

// One of them. The error says which there are.
Result<Capture> find_capture(const std::string& run, const std::string& id);

// Whether only notes tell of it.
bool is_only_noted(const std::string& run, const std::string& id);

}  // namespace lockstep::dumper
