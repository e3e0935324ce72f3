// What SLURM's own command knows of a job.
#pragma once

#include <string>

namespace lockstep::cli {

// What `scontrol -o show WHAT JOB` prints; "" where SLURM is not here or does not know the job. `job`
// becomes a word of a shell's command: digits and underscores only.
std::string scontrol_show(const std::string& what, const std::string& job);

}  // namespace lockstep::cli
