#include "cli/job/run_marker.h"

#include <fcntl.h>
#include <unistd.h>

namespace lockstep::cli {

RunMarker::RunMarker(const std::string& job, const std::string& directory) {
  if (job.empty()) return;
  path_ = "/dev/shm/lockstep-" + std::to_string(getuid()) + "-" + job + "-" +
          std::to_string(getpid()) + ".run";
  const int file = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) {
    path_.clear();
    return;
  }
  const std::string text = job + "\n" + directory + "\n";
  if (write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    unlink(path_.c_str());
    path_.clear();
  }
  close(file);
}

RunMarker::~RunMarker() {
  if (!path_.empty()) unlink(path_.c_str());
}

}  // namespace lockstep::cli
