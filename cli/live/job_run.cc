#include "cli/live/job_run.h"

#include <sys/stat.h>

#include <filesystem>

#include "base/text.h"
#include "cli/job/scontrol.h"

namespace lockstep::cli {
namespace {

// lockstep-JOB.0, lockstep-JOB.r1.0 (cli/job/new_run.h).
std::string newest_in(const std::string& folder, const std::string& job) {
  std::string newest;
  timespec newest_time{};
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    struct stat facts {};
    const std::string path = entry.path().string();
    if (!starts_with(base_name(path), "lockstep-" + job + ".") || stat(path.c_str(), &facts) != 0 ||
        !S_ISDIR(facts.st_mode))
      continue;
    const timespec& time = facts.st_ctim;
    const bool newer = time.tv_sec != newest_time.tv_sec ? time.tv_sec > newest_time.tv_sec
                                                         : time.tv_nsec >= newest_time.tv_nsec;
    if (newest.empty() || newer) {
      newest = path;
      newest_time = time;
    }
  }
  return newest;
}

// Empty when SLURM is not here, or does not know the job.
std::string folder_of_job(const std::string& job) {
  const std::string text = scontrol_show("job", job);
  const size_t at = text.find(" WorkDir=");
  if (at == std::string::npos) return {};
  const size_t begin = text.find('=', at) + 1;
  return text.substr(begin, text.find_first_of(" \n", begin) - begin);
}

}  // namespace

Result<std::string> run_of_job(const std::string& job) {
  // It becomes a word of a shell's command.
  if (job.empty() || job.find_first_not_of("0123456789_") != std::string::npos)
    return Status::error("\"" + job + "\" is no job's id; expected 4711, or 4711_5 of an array");
  std::string run = newest_in(".", job);
  if (!run.empty()) return run;
  const std::string folder = folder_of_job(job);
  if (!folder.empty()) run = newest_in(folder, job);
  if (!run.empty()) return run;
  return Status::error(
      "job " + job + ": there is no lockstep-" + job + ".* in this folder" +
      (folder.empty() ? ", and SLURM does not say where it was submitted" : " nor in " + folder) +
      "; give the run directory");
}

}  // namespace lockstep::cli
