#include "clocksync/rendezvous/rendezvous_tcp.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>

#include "clocksync/wire/interfaces.h"

namespace lockstep::clocksync {
namespace {

constexpr int kPatienceMs = 2000;
constexpr size_t kLongestLine = 4096;
constexpr size_t kLongestAnswer = size_t{128} << 20;

struct Socket {
  explicit Socket(int value) : fd(value) {}
  ~Socket() {
    if (fd >= 0) close(fd);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int fd;
};

bool wait_for(int fd, short events) {
  pollfd item{fd, events, 0};
  return poll(&item, 1, kPatienceMs) > 0;
}

bool send_all(int fd, const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const ssize_t sent = send(fd, text.data() + at, text.size() - at, MSG_NOSIGNAL);
    if (sent > 0) {
      at += static_cast<size_t>(sent);
    } else if (errno != EAGAIN || !wait_for(fd, POLLOUT)) {
      return false;
    }
  }
  return true;
}

// Reads until the text ends with `ending`; empty when the other side was too slow or too long.
std::string receive_until(int fd, const std::string& ending, size_t longest) {
  std::string text;
  char part[4096];
  while (text.size() < longest) {
    const ssize_t size = recv(fd, part, sizeof part, 0);
    if (size < 0 && errno == EAGAIN && wait_for(fd, POLLIN)) continue;
    if (size <= 0) return "";
    text.append(part, static_cast<size_t>(size));
    if (text.size() >= ending.size() &&
        text.compare(text.size() - ending.size(), ending.size(), ending) == 0) {
      return text;
    }
  }
  return "";
}

class TcpSource final : public RendezvousSource {
 public:
  TcpSource(std::string host, uint16_t port, HostEntry self, const SecretKey& secret)
      : host_(std::move(host)), port_(port), self_(std::move(self)), secret_(secret) {
    known_[self_.name] = self_;
  }

  Result<std::vector<HostEntry>> look() override {
    const Status status = listener_.fd >= 0 ? serve() : start_or_ask();
    if (!status.ok()) return status;
    std::vector<HostEntry> hosts;
    for (const auto& [name, entry] : known_) hosts.push_back(entry);
    return hosts;
  }

  bool serves() const override { return listener_.fd >= 0; }

 private:
  std::string sealed_line(const HostEntry& entry) const {
    const std::string text = entry_to_json(entry);
    return line_code(secret_, text) + " " + text + "\n";
  }

  void learn(const std::string& line) {
    const size_t space = line.find(' ');
    if (space == std::string::npos) return;
    const std::string text = line.substr(space + 1);
    if (line_code(secret_, text) != line.substr(0, space)) return;
    const Result<HostEntry> entry = entry_from_json(text);
    if (entry.ok()) known_[entry.value().name] = entry.value();
  }

  // The host that can bind the master's address is the master. Anybody else asks it.
  Status start_or_ask() {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (getaddrinfo(host_.c_str(), std::to_string(port_).c_str(), &hints, &found) != 0) {
      return Status::error("rendezvous host " + host_ + " has no address");
    }
    const bool listening = self_is(*found) && listen_at(*found);
    Status status = listening ? Status() : ask(*found);
    freeaddrinfo(found);
    return status;
  }

  // Only an address of this host can be bound; on loopback every prober could, and the first one
  // wins.
  static bool self_is(const addrinfo& address) {
    char text[NI_MAXHOST] = "";
    getnameinfo(address.ai_addr, address.ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
    if (is_loopback_address(text)) return true;
    for (const Interface& one : system_interfaces()) {
      if (one.address == text) return true;
    }
    return false;
  }

  bool listen_at(const addrinfo& address) {
    const int fd = socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const int yes = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (fd >= 0 && bind(fd, address.ai_addr, address.ai_addrlen) == 0 && listen(fd, 128) == 0) {
      listener_.fd = fd;
      return true;
    }
    if (fd >= 0) close(fd);
    return false;
  }

  Status serve() {
    for (int i = 0; i < 1000; ++i) {
      const Socket client(accept4(listener_.fd, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (client.fd < 0) break;
      const std::string line = receive_until(client.fd, "\n", kLongestLine);
      if (!line.empty()) learn(line.substr(0, line.size() - 1));
      if (!known_line(line)) continue;
      std::string answer;
      for (const auto& [name, entry] : known_) answer += sealed_line(entry);
      send_all(client.fd, answer + "\n");
    }
    return Status();
  }

  // True for a line that learn() believed.
  bool known_line(const std::string& line) const {
    for (const auto& [name, entry] : known_) {
      if (line == sealed_line(entry)) return true;
    }
    return false;
  }

  Status ask(const addrinfo& address) {
    const Socket server(socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    Status refused = Status::error("rendezvous at " + host_ + ":" + std::to_string(port_) +
                                   " does not answer; is LOCKSTEP_CLOCK_PORT open there?");
    if (server.fd < 0) return refused;
    if (connect(server.fd, address.ai_addr, address.ai_addrlen) != 0 && errno != EINPROGRESS) {
      return refused;
    }
    if (!wait_for(server.fd, POLLOUT) || !send_all(server.fd, sealed_line(self_))) return refused;
    const std::string answer = receive_until(server.fd, "\n\n", kLongestAnswer);
    if (answer.empty()) {
      return Status::error("rendezvous at " + host_ + ":" + std::to_string(port_) +
                           " refused us; do both hosts use the same LOCKSTEP_CLOCK_KEY_FILE?");
    }
    for (size_t at = 0; at < answer.size();) {
      const size_t end = answer.find('\n', at);
      learn(answer.substr(at, end - at));
      at = end + 1;
    }
    return Status();
  }

  const std::string host_;
  const uint16_t port_;
  const HostEntry self_;
  const SecretKey secret_;
  std::map<std::string, HostEntry> known_;
  Socket listener_{-1};
};

}  // namespace

std::unique_ptr<RendezvousSource> tcp_source(const std::string& host, uint16_t port,
                                             const HostEntry& self, const SecretKey& secret) {
  return std::make_unique<TcpSource>(host, port, self, secret);
}

}  // namespace lockstep::clocksync
