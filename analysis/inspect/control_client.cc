#include "analysis/inspect/control_client.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>

#include "base/parallel.h"
#include "base/text.h"
#include "dumper/run/run_files.h"

namespace lockstep::analysis {
namespace {

constexpr size_t kLongestAnswerBytes = 1u << 20;
constexpr const char* kEnding = ".ctl";

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  DIR* entries = opendir(directory.c_str());
  if (entries == nullptr) return names;
  while (const dirent* entry = readdir(entries)) names.emplace_back(entry->d_name);
  closedir(entries);
  std::sort(names.begin(), names.end());
  return names;
}

// The process keeps its run directory open; the directory is among its descriptors.
void add_sockets_of_process(const std::string& pid, std::vector<ControlledProcess>* found) {
  const std::string descriptors = "/proc/" + pid + "/fd/";
  for (const std::string& number : names_in(descriptors)) {
    char target[PATH_MAX];
    const ssize_t length = readlink((descriptors + number).c_str(), target, sizeof target - 1);
    if (length <= 0 || target[0] != '/' || !found->empty()) continue;
    target[length] = '\0';
    for (const std::string& name : names_in(target)) {
      if (has_ending(name, "." + pid + kEnding)) found->push_back({target, name});
    }
  }
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

Status failure(const ControlledProcess& process, const char* doing) {
  const char* hint = errno == ECONNREFUSED ? " (the process is gone)" : "";
  return Status::error(process.directory + "/" + process.name + ": cannot " + doing + ": " +
                       std::strerror(errno) + hint);
}

Result<std::string> ask(const ControlledProcess& process, const std::string& request) {
  const Descriptor directory(open(process.directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const Descriptor socket_fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (directory.get() < 0 || socket_fd.get() < 0) return failure(process, "open");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", directory.get(),
                process.name.c_str());
  timeval limit{10, 0};
  setsockopt(socket_fd.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  if (connect(socket_fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return failure(process, "connect");
  const std::string line = request + "\n";
  if (send(socket_fd.get(), line.data(), line.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(line.size())) {
    return failure(process, "ask");
  }
  std::string answer;
  char buffer[4096];
  ssize_t got = 0;
  while (answer.size() < kLongestAnswerBytes &&
         (got = recv(socket_fd.get(), buffer, sizeof buffer, 0)) > 0) {
    answer.append(buffer, static_cast<size_t>(got));
  }
  while (!answer.empty() && answer.back() == '\n') answer.pop_back();
  if (answer.empty()) return failure(process, "get an answer");
  return answer;
}

}  // namespace

Result<std::vector<ControlledProcess>> controlled_processes(const std::string& where) {
  std::vector<ControlledProcess> found;
  const bool is_pid = !where.empty() && where.find_first_not_of("0123456789") == std::string::npos;
  if (is_pid) {
    add_sockets_of_process(where, &found);
    if (found.empty())
      return Status::error("process " + where +
                           " has no control socket here: it does not record, or is not yours");
    return found;
  }
  const auto files = dumper::run_files(where);
  if (!files.ok()) return files.status();
  for (const std::string& file : files.value()) {
    if (has_ending(file, kEnding)) found.push_back({dumper::parent_of(file), base_name(file)});
  }
  if (found.empty()) return Status::error(where + ": no process records there at the moment");
  return found;
}

std::vector<Result<std::string>> ask_processes(const std::vector<ControlledProcess>& processes,
                                               const std::string& request) {
  constexpr size_t kMostAtOnce = 256;  // threads, which do nothing but wait
  std::vector<Result<std::string>> answers(processes.size(), Status::error("not asked"));
  in_parallel(processes.size(), static_cast<unsigned>(std::min(kMostAtOnce, processes.size())),
              [&](size_t i) { answers[i] = ask(processes[i], request); });
  return answers;
}

}  // namespace lockstep::analysis
