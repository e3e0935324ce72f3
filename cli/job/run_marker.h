// A file in /dev/shm that says, on the node of `lockstep run` or of a `lockstep collect`, which run
// of a SLURM job is not finished: its job's number and its directory, a line each. It goes with the
// object; one that is still there when the job has ended tells the epilog that they were killed
// before they had done their part. A failure to write it does not matter and is not reported.
#pragma once

#include <string>

namespace lockstep::cli {

class RunMarker {
 public:
  RunMarker(const std::string& job, const std::string& directory);
  ~RunMarker();
  RunMarker(const RunMarker&) = delete;
  RunMarker& operator=(const RunMarker&) = delete;

 private:
  std::string path_;
};

}  // namespace lockstep::cli
