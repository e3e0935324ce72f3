#include "live/local/control_client.h"

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

#include "base/clock_ns.h"
#include "base/json.h"
#include "base/text.h"
#include "dumper/run/run_files.h"

namespace lockstep::live {
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
  const char* why =
      errno == EAGAIN || errno == EINPROGRESS ? "no answer in time" : std::strerror(errno);
  return Status::error(process.directory + "/" + process.name + ": cannot " + doing + ": " + why +
                       hint);
}

// Both limits are of one call each: what they leave unbounded, a process that sends single bytes, is
// one of our own user.
void set_limit(int fd, int64_t deadline_ns) {
  const int64_t left_us = std::max<int64_t>(1000, (deadline_ns - mono_now_ns()) / 1000);
  const timeval limit{left_us / 1'000'000, left_us % 1'000'000};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);  // also of connect()
}

// Paths of sockets are short: the folder is named by its descriptor.
bool connect_to(const ControlledProcess& process, int directory, int socket_fd) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const int length = std::snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s",
                                   directory, process.name.c_str());
  if (length >= static_cast<int>(sizeof address.sun_path)) {
    errno = ENAMETOOLONG;
    return false;
  }
  return connect(socket_fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

}  // namespace

ControlName parse_control_name(const std::string& name) {
  if (!has_ending(name, kEnding)) return {};
  const std::string stem = name.substr(0, name.size() - std::strlen(kEnding));
  const size_t dot = stem.rfind('.');
  if (dot == std::string::npos || dot == 0) return {};
  const auto pid = parse_number<uint32_t>(stem.substr(dot + 1));
  return pid ? ControlName{stem.substr(0, dot), *pid} : ControlName{};
}

// The process keeps its run directory open; the directory is among its descriptors.
std::vector<ControlledProcess> controlled_process(uint32_t pid) {
  const std::string number = std::to_string(pid);
  const std::string descriptors = "/proc/" + number + "/fd/";
  for (const std::string& descriptor : names_in(descriptors)) {
    char target[PATH_MAX];
    const ssize_t length = readlink((descriptors + descriptor).c_str(), target, sizeof target - 1);
    if (length <= 0 || target[0] != '/') continue;
    target[length] = '\0';
    std::vector<ControlledProcess> found;
    for (const std::string& name : names_in(target)) {
      if (has_ending(name, "." + number + kEnding)) found.push_back({target, name});
    }
    if (!found.empty()) return found;
  }
  return {};
}

Result<std::vector<ControlledProcess>> controlled_processes(const std::string& where) {
  if (const auto pid = parse_number<uint32_t>(where)) {
    std::vector<ControlledProcess> found = controlled_process(*pid);
    if (found.empty())
      return Status::error("process " + where +
                           " has no control socket here: it does not record, or is not yours");
    return found;
  }
  const auto files = dumper::run_files(where);
  if (!files.ok()) return files.status();
  std::vector<ControlledProcess> found;
  for (const std::string& file : files.value()) {
    if (has_ending(file, kEnding)) found.push_back({dumper::parent_of(file), base_name(file)});
  }
  if (found.empty()) return Status::error(where + ": no process records there at the moment");
  return found;
}

bool is_listening(const ControlledProcess& process) {
  const Descriptor directory(open(process.directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const Descriptor socket_fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (directory.get() < 0 || socket_fd.get() < 0) return false;
  // EAGAIN: it listens, and others wait for it already.
  return connect_to(process, directory.get(), socket_fd.get()) || errno == EAGAIN;
}

Result<std::string> ask_process(const ControlledProcess& process, const std::string& request,
                                int64_t deadline_ns) {
  const Descriptor directory(open(process.directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const Descriptor socket_fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (directory.get() < 0 || socket_fd.get() < 0) return failure(process, "open");
  set_limit(socket_fd.get(), deadline_ns);
  if (!connect_to(process, directory.get(), socket_fd.get())) return failure(process, "connect");
  const std::string line = request + "\n";
  if (send(socket_fd.get(), line.data(), line.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(line.size())) {
    return failure(process, "ask");
  }
  std::string answer;
  char buffer[4096];
  ssize_t got = 0;
  while (answer.size() < kLongestAnswerBytes) {
    set_limit(socket_fd.get(), deadline_ns);
    got = recv(socket_fd.get(), buffer, sizeof buffer, 0);
    if (got <= 0) break;
    answer.append(buffer, static_cast<size_t>(got));
  }
  while (!answer.empty() && answer.back() == '\n') answer.pop_back();
  if (got == 0 && answer.empty()) errno = ECONNRESET;
  if (got < 0 || answer.empty()) return failure(process, "get an answer");
  return answer;
}

Status was_done(const Result<std::string>& answer) {
  if (!answer.ok()) return answer.status();
  json::Document document;
  if (!parse_json(answer.value(), &document)) return Status::error("its answer is no JSON");
  const std::string error = text_member(document, "error");
  return error.empty() ? Status() : Status::error(error);
}

std::string request_by(const std::string& asker, const std::string& request) {
  std::string name;
  for (const char c : asker.substr(0, 100)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '_' || c == '@' || c == '-';
    name += plain ? c : '_';
  }
  return name.empty() ? request : "as " + name + " " + request;
}

}  // namespace lockstep::live
