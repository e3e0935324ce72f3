#include "test/drivers/common/bootstrap.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <set>
#include <sstream>

#include "test/drivers/common/wire.h"

namespace lockstep::driver {
namespace {

constexpr int kJoinTimeoutMs = 30'000;

struct Hello {
  int32_t rank;
  uint64_t key;
};

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace

Result<std::pair<int, int>> listen_on(const std::string& host, int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = host.empty() ? INADDR_ANY : inet_addr(host.c_str());
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  socklen_t size = sizeof address;
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(fd, 1024) != 0 ||
      getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    const std::string reason = strerror(errno);
    close(fd);
    return Status::error("cannot listen on port " + std::to_string(port) + ": " + reason);
  }
  return std::make_pair(fd, static_cast<int>(ntohs(address.sin_port)));
}

Bootstrap::Bootstrap(Bootstrap&& other) noexcept
    : options_(other.options_),
      data_listener_(std::exchange(other.data_listener_, -1)),
      control_(std::move(other.control_)),
      addresses_(std::move(other.addresses_)),
      hosts_(std::move(other.hosts_)),
      waiting_(std::move(other.waiting_)) {
  other.control_.clear();
}

Bootstrap::~Bootstrap() {
  for (const int fd : control_) {
    if (fd >= 0) close(fd);
  }
  if (data_listener_ >= 0) close(data_listener_);
}

Result<Bootstrap> Bootstrap::join(const BootstrapOptions& options) {
  Bootstrap bootstrap(options);
  Status status = bootstrap.listen_for_data();
  if (status.ok())
    status = options.rank == 0 ? bootstrap.gather_as_master() : bootstrap.report_to_master();
  if (!status.ok()) return status;
  return bootstrap;
}

Status Bootstrap::listen_for_data() {
  const Result<std::pair<int, int>> listening = listen_on("", 0);
  if (!listening.ok()) return listening.status();
  data_listener_ = listening.value().first;
  addresses_.assign(static_cast<size_t>(options_.world),
                    ":" + std::to_string(listening.value().second));
  hosts_.assign(static_cast<size_t>(options_.world), host_name());
  return Status();
}

Status Bootstrap::gather_as_master() {
  const auto where = split_address(options_.master);
  if (!where.ok()) return where.status();
  int listener = options_.listening;
  if (listener < 0) {
    const auto listening = listen_on("", where.value().second);
    if (!listening.ok()) return listening.status();
    listener = listening.value().first;
  }
  control_.assign(static_cast<size_t>(options_.world), -1);
  for (int missing = options_.world - 1; missing > 0; --missing) {
    pollfd ready{listener, POLLIN, 0};
    if (poll(&ready, 1, kJoinTimeoutMs) <= 0) {
      return Status::error(std::to_string(missing) +
                           " ranks did not join within 30 s: are they started?");
    }
    const int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    std::string text;
    if (fd < 0 || !receive_text(fd, &text, kJoinTimeoutMs))
      return Status::error("a rank left while joining");
    std::istringstream in(text);
    size_t rank = 0;
    std::string address, host;
    in >> rank >> address >> host;
    if (rank == 0 || rank >= control_.size() || control_[rank] >= 0) {
      return Status::error("rank " + std::to_string(rank) + " joined twice or is out of range");
    }
    control_[rank] = fd;
    addresses_[rank] = address;
    hosts_[rank] = host;
  }
  close(listener);
  std::string table;
  for (size_t i = 0; i < addresses_.size(); ++i) table += addresses_[i] + " " + hosts_[i] + "\n";
  for (size_t i = 1; i < control_.size(); ++i) {
    if (!send_text(control_[i], table))
      return Status::error("rank " + std::to_string(i) + " left while joining");
  }
  return Status();
}

Status Bootstrap::report_to_master() {
  const auto where = split_address(options_.master);
  if (!where.ok()) return where.status();
  const Result<int> master = connect_tcp(where.value().first, where.value().second, kJoinTimeoutMs);
  if (!master.ok()) return master.status();
  control_ = {master.value()};
  const std::string port = addresses_[0];
  const std::string hello =
      std::to_string(options_.rank) + " " + local_host_of(master.value()) + port + " " + hosts_[0];
  std::string table;
  if (!send_text(master.value(), hello) || !receive_text(master.value(), &table, kJoinTimeoutMs)) {
    return Status::error("rank 0 at " + options_.master + " left while joining");
  }
  std::istringstream in(table);
  for (size_t i = 0; i < addresses_.size(); ++i) in >> addresses_[i] >> hosts_[i];
  addresses_[0] = where.value().first + addresses_[0];
  return Status();
}

int Bootstrap::hosts() const {
  return static_cast<int>(std::set<std::string>(hosts_.begin(), hosts_.end()).size());
}

int Bootstrap::hosts_of(const std::vector<int>& ranks) const {
  std::set<std::string> names;
  for (const int rank : ranks) names.insert(host_of(rank));
  return static_cast<int>(names.size());
}

int Bootstrap::connect_to(int rank, uint64_t key) {
  const auto where = split_address(addresses_[static_cast<size_t>(rank)]);
  if (!where.ok()) return -1;
  const Result<int> fd = connect_tcp(where.value().first, where.value().second, 5000);
  if (!fd.ok()) return -1;
  const Hello hello{options_.rank, key};
  if (!send_all(fd.value(), &hello, sizeof hello)) return -1;
  return fd.value();
}

int Bootstrap::accept_from(int rank, uint64_t key) {
  const std::pair<int, uint64_t> wanted(rank, key);
  while (waiting_.count(wanted) == 0) {
    pollfd ready{data_listener_, POLLIN, 0};
    if (poll(&ready, 1, kJoinTimeoutMs) <= 0) return -1;
    const int fd = accept4(data_listener_, nullptr, nullptr, SOCK_CLOEXEC);
    Hello hello{};
    if (fd < 0 || !receive_all(fd, &hello, sizeof hello, kJoinTimeoutMs)) return -1;
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    waiting_[{hello.rank, hello.key}] = fd;
  }
  const int fd = waiting_[wanted];
  waiting_.erase(wanted);
  return fd;
}

bool Bootstrap::barrier(int timeout_ms) {
  char token = 'b';
  if (options_.rank != 0) {
    return send_all(control_[0], &token, 1) && receive_all(control_[0], &token, 1, timeout_ms);
  }
  for (size_t i = 1; i < control_.size(); ++i) {
    if (!receive_all(control_[i], &token, 1, timeout_ms)) return false;
  }
  for (size_t i = 1; i < control_.size(); ++i) {
    if (!send_all(control_[i], &token, 1)) return false;
  }
  return true;
}

bool Bootstrap::tell_all(int64_t* number, int timeout_ms) {
  if (options_.rank != 0) return receive_all(control_[0], number, sizeof *number, timeout_ms);
  for (size_t i = 1; i < control_.size(); ++i) {
    if (!send_all(control_[i], number, sizeof *number)) return false;
  }
  return true;
}

}  // namespace lockstep::driver
