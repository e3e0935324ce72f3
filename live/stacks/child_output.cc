#include "live/stacks/child_output.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/clock_ns.h"
#include "base/spawn.h"

namespace lockstep::live {
namespace {

constexpr const char* kNotInPath = "it is not in PATH";

struct Pipe {
  int read = -1, write = -1;

  bool open() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read = ends[0];
    write = ends[1];
    return true;
  }
  void close_write() {
    if (write >= 0) ::close(write);
    write = -1;
  }
  ~Pipe() {
    close_write();
    if (read >= 0) ::close(read);
  }
  Pipe() = default;
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
};

// What there is to read now; false at its end.
bool take(int file, std::string* text) {
  std::array<char, 1 << 16> piece{};
  const ssize_t got = ::read(file, piece.data(), piece.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  text->append(piece.data(), static_cast<size_t>(got));
  return got != 0;
}

// Until both ends are closed. The error says why it was not read to its end.
Status read_all(const Pipe& output, const Pipe& error, int64_t deadline_ns, size_t most,
                ChildOutput* child) {
  std::array<pollfd, 2> files{pollfd{output.read, POLLIN, 0}, pollfd{error.read, POLLIN, 0}};
  while (files[0].fd >= 0 || files[1].fd >= 0) {
    const int64_t left_ns = deadline_ns - mono_now_ns();
    if (left_ns <= 0) return Status::error("it took too long and was ended");
    const int left_ms = static_cast<int>(std::min<int64_t>(left_ns / 1'000'000 + 1, 1000));
    if (poll(files.data(), files.size(), left_ms) <= 0) continue;
    if (files[0].revents != 0 && !take(files[0].fd, &child->output)) files[0].fd = -1;
    if (files[1].revents != 0 && !take(files[1].fd, &child->error)) files[1].fd = -1;
    if (child->output.size() + child->error.size() > most)
      return Status::error("it printed more than " + std::to_string(most) + " bytes and was ended");
  }
  return {};
}

int code_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Result<ChildOutput> run_and_read(const std::vector<std::string>& command, int64_t patience_ns,
                                 size_t most) {
  Pipe output, error;
  if (!output.open() || !error.open()) return Status::error(std::strerror(errno));
  pid_t child = 0;
  if (const int failed = spawn(command, output.write, error.write, &child); failed != 0)
    return Status::error(failed == ENOENT ? kNotInPath : std::strerror(failed));
  output.close_write();
  error.close_write();
  ChildOutput said;
  const Status status = read_all(output, error, mono_now_ns() + patience_ns, most, &said);
  if (!status.ok()) kill(child, SIGKILL);
  said.code = code_of(child);
  if (!status.ok()) return status;
  if (said.code == kNoProgram && said.output.empty() && said.error.empty())
    return Status::error(kNotInPath);
  return said;
}

}  // namespace lockstep::live
