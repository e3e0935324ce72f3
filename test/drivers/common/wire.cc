#include "test/drivers/common/wire.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "test/drivers/common/clocks.h"

namespace lockstep::driver {

Result<std::pair<std::string, int>> split_address(const std::string& address) {
  const size_t colon = address.rfind(':');
  const int port = colon == std::string::npos ? 0 : atoi(address.c_str() + colon + 1);
  if (port < 1 || port > 65535) return Status::error("'" + address + "' is no HOST:PORT");
  return std::make_pair(address.substr(0, colon), port);
}

Result<int> connect_tcp(const std::string& host, int port, int timeout_ms) {
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  const int64_t deadline_ns = clock_ns(CLOCK_MONOTONIC) + timeout_ms * int64_t{1'000'000};
  std::string reason;
  do {
    addrinfo* found = nullptr;
    const int failed = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
    if (failed == 0) {
      const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      const int connected = connect(fd, found->ai_addr, found->ai_addrlen);
      reason = strerror(errno);
      freeaddrinfo(found);
      const int on = 1;
      setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      if (connected == 0) return fd;
      close(fd);
    } else {
      reason = gai_strerror(failed);
    }
    usleep(20'000);
  } while (clock_ns(CLOCK_MONOTONIC) < deadline_ns);
  return Status::error("cannot reach " + host + ":" + std::to_string(port) + ": " + reason);
}

std::string local_host_of(int socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  char text[INET_ADDRSTRLEN] = "127.0.0.1";
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0) {
    inet_ntop(AF_INET, &address.sin_addr, text, sizeof text);
  }
  return text;
}

bool send_all(int socket, const void* data, size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t put = send(socket, at, size, MSG_NOSIGNAL);
    if (put <= 0 && errno != EINTR) return false;
    if (put <= 0) continue;
    at += put;
    size -= static_cast<size_t>(put);
  }
  return true;
}

bool receive_all(int socket, void* data, size_t size, int timeout_ms) {
  char* at = static_cast<char*>(data);
  while (size > 0) {
    pollfd readable{socket, POLLIN, 0};
    if (poll(&readable, 1, timeout_ms) <= 0) return false;
    const ssize_t got = recv(socket, at, size, 0);
    if (got == 0 || (got < 0 && errno != EINTR)) return false;
    if (got < 0) continue;
    at += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

bool send_text(int socket, const std::string& text) {
  const auto size = static_cast<uint32_t>(text.size());
  return send_all(socket, &size, sizeof size) && send_all(socket, text.data(), text.size());
}

bool receive_text(int socket, std::string* text, int timeout_ms) {
  uint32_t size = 0;
  if (!receive_all(socket, &size, sizeof size, timeout_ms) || size > (1 << 20)) return false;
  text->resize(size);
  return receive_all(socket, text->data(), size, timeout_ms);
}

}  // namespace lockstep::driver
