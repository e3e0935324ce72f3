// A directory without a record, as `lockstep serve` meets it beside a job that has just begun or will begin: whether a job
// may fill it, and why it has not yet. One thread.
#pragma once

#include <string>

namespace lockstep::cli {

// It is a run that has no segment yet, or has nothing in it but what lockstep itself keeps there. A folder of other
// files is somebody else's.
bool may_be_filled(const std::string& directory);

// What a reader is told who waits for it.
std::string why_no_records(const std::string& directory);

}  // namespace lockstep::cli
