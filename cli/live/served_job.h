// Reads a run for the server of its page (live/follow/followed_run.h); of a job that still records what its
// processes have in memory too, after its hosts wrote that down. One thread.
#pragma once

#include <memory>
#include <string>

#include "live/follow/served_run.h"

namespace lockstep::cli {

// `options.most_table_bytes` is for a run that has ended: of one that goes on less is read, so that it can be
// read again every second.
Result<std::unique_ptr<serve::ServedRun>> read_served_job(const std::string& directory,
                                                          serve::ServeOptions options);

}  // namespace lockstep::cli
