#include "plugin/process/control_socket.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "dumper/segment/file_io.h"

namespace lockstep::plugin {
namespace {

constexpr size_t kLongestRequestBytes = 512;
constexpr int kRetryMs = 100;  // after accept() failed

// Nobody's where the kernel does not tell.
ucred peer_of(int client) {
  ucred peer{0, static_cast<uid_t>(-1), static_cast<gid_t>(-1)};
  socklen_t size = sizeof peer;
  getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &size);
  return peer;
}

bool may_control(const ucred& peer) { return peer.uid == geteuid() || peer.uid == 0; }

// Up to the newline; empty when none came in time.
std::string read_line(int client) {
  std::string line;
  char byte = 0;
  while (line.size() < kLongestRequestBytes && recv(client, &byte, 1, 0) == 1) {
    if (byte == '\n') return line;
    line += byte;
  }
  return {};
}

void send_all(int client, const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t sent = send(client, text.data() + done, text.size() - done, MSG_NOSIGNAL);
    if (sent <= 0) return;
    done += static_cast<size_t>(sent);
  }
}

Status failure(const std::string& what) {
  return Status::error("no control socket: cannot " + what + ": " + std::strerror(errno));
}

}  // namespace

// Paths of sockets are short: the folder is named by its descriptor.
Status ControlSocket::listen_in(const std::string& directory, const std::string& name) {
  dumper::system_file_io()->make_directories(directory);
  directory_ = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory_ < 0) return failure("open " + directory);
  socket_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket_ < 0) return failure("make a socket");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const int length = std::snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s",
                                   directory_, name.c_str());
  if (length >= static_cast<int>(sizeof address.sun_path))
    return Status::error("no control socket: the name " + name + " is too long");
  unlinkat(directory_, name.c_str(), 0);  // of a dead process with our number
  fchmod(socket_, 0600);                  // before bind: the file never has another mode
  if (bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(socket_, 8) != 0) {
    return failure("listen in " + directory);
  }
  name_ = name;
  return Status();
}

Status ControlSocket::start(const std::string& directory, const std::string& name, Answer answer,
                            Chore chore) {
  if (thread_.running()) return Status();
  answer_ = std::move(answer);
  chore_ = std::move(chore);
  Status status = listen_in(directory, name);
  stop_event_ = status.ok() ? eventfd(0, EFD_CLOEXEC) : -1;
  if (status.ok() && (stop_event_ < 0 || !thread_.start("lockstep-ctl", run, this)))
    status = Status::error("no control socket: cannot create a thread");
  if (!status.ok()) close_all();
  return status;
}

void ControlSocket::stop() {
  if (!thread_.running()) return;
  const uint64_t one = 1;
  if (write(stop_event_, &one, sizeof one) == static_cast<ssize_t>(sizeof one)) thread_.join();
  close_all();
}

void ControlSocket::close_all() {
  if (directory_ >= 0 && !name_.empty()) unlinkat(directory_, name_.c_str(), 0);
  name_.clear();
  for (int* fd : {&socket_, &stop_event_, &directory_}) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
  }
}

void* ControlSocket::run(void* self) {
  static_cast<ControlSocket*>(self)->serve();
  return nullptr;
}

void ControlSocket::serve() {
  pollfd events[] = {{socket_, POLLIN, 0}, {stop_event_, POLLIN, 0}};
  while (true) {
    if (poll(events, 2, chore_()) <= 0) continue;  // EINTR, or time for the chore
    if (events[1].revents != 0) return;
    const int client = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client <
        0) {  // with no descriptor left, the caller waits outside and poll() returns at once
      poll(&events[1], 1, kRetryMs);
      continue;
    }
    try {
      serve_one(client);
    } catch (...) {  // out of memory: this client goes without an answer
    }
    close(client);
  }
}

void ControlSocket::serve_one(int client) const {
  timeval limit{1, 0};
  setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  const ucred peer = peer_of(client);
  if (!may_control(peer)) {
    send_all(client, "{\"error\":\"this process belongs to another user\"}\n");
    return;
  }
  const std::string request = read_line(client);
  if (!request.empty()) send_all(client, answer_(request, peer.pid) + "\n");
}

}  // namespace lockstep::plugin
