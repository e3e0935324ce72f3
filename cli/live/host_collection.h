// Moves what hosts of a run recorded on their own disks into a directory here, over their agents: file by
// file, each continued where it was, compared by checksum and only then removed there (cli/job/file_move.h).
// One thread at a time.
#pragma once

#include <string>

#include "cli/live/live_arguments.h"

namespace lockstep::cli {

struct HostCollection {
  live::Answers answers;  // a host that was collected has one row: host, files, bytes (copied now)
  std::string text;       // a line for each of them
};

// All hosts at once; no file takes longer than `timeout_s`. The error: whom to ask is not clear.
Result<HostCollection> collect_from_hosts(const LiveArguments& arguments,
                                          const std::string& directory);

}  // namespace lockstep::cli
