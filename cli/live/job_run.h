// The run directory of a SLURM job, by the job's id: the newest that `lockstep run` made for it in this
// folder, else in the one that the job was submitted from, which scontrol knows. One thread; asks
// scontrol only when this folder has none.
#pragma once

#include <string>

#include "lockstep/status.h"

namespace lockstep::cli {

// `job` as SLURM writes it: 4711, or 4711_5 of an array. The error says where it was looked for.
Result<std::string> run_of_job(const std::string& job);

}  // namespace lockstep::cli
