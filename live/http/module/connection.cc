#include "live/http/module/connection.h"

#include <fcntl.h>
#include <netdb.h>
#include <openssl/err.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/clock_ns.h"
#include "live/http/http.h"

namespace lockstep::serve {
namespace {

constexpr int64_t kNsPerMs = 1'000'000;

using NameOf = int (*)(int, sockaddr*, socklen_t*);

void address_of(int socket, NameOf name_of, std::string* ip, int* port) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  char host[NI_MAXHOST], service[NI_MAXSERV];
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (name_of(socket, generic, &size) != 0) return;
  if (getnameinfo(generic, size, host, sizeof(host), service, sizeof(service),
                  NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return;
  *ip = host;
  *port = std::atoi(service);
}

}  // namespace

Connection::Connection(int socket, SSL_CTX* tls, int stop)
    : socket_(socket), stop_(stop), tls_(tls == nullptr ? nullptr : SSL_new(tls), SSL_free) {
  fcntl(socket_, F_SETFL, fcntl(socket_, F_GETFL) | O_NONBLOCK);
  if (tls_ != nullptr) SSL_set_fd(tls_.get(), socket_);
}

Connection::~Connection() {
  if (tls_ != nullptr) SSL_shutdown(tls_.get());
  shutdown(socket_, SHUT_RDWR);
  close(socket_);
}

int64_t Connection::deadline_in(int patience_ms) const {
  return mono_now_ns() + patience_ms * kNsPerMs;
}

bool Connection::wait(short events, int64_t deadline_ns) const {
  pollfd fds[2] = {{socket_, events, 0}, {stop_, POLLIN, 0}};
  while (true) {
    const int64_t left_ms = (deadline_ns - mono_now_ns()) / kNsPerMs;
    if (left_ms <= 0) return false;
    const int ready = poll(fds, 2, static_cast<int>(left_ms));
    if (ready < 0 && errno == EINTR) continue;
    return ready > 0 && fds[1].revents == 0;
  }
}

ssize_t Connection::tls_result(int result, short* events) {
  if (result > 0) return result;
  const int error = SSL_get_error(tls_.get(), result);
  ERR_clear_error();
  *events = error == SSL_ERROR_WANT_READ ? POLLIN : error == SSL_ERROR_WANT_WRITE ? POLLOUT : 0;
  return error == SSL_ERROR_ZERO_RETURN ? 0 : -1;
}

ssize_t Connection::try_read(char* to, size_t size, short* events) {
  const int most = static_cast<int>(std::min<size_t>(size, 1 << 20));
  if (tls_ != nullptr) return tls_result(SSL_read(tls_.get(), to, most), events);
  const ssize_t got = recv(socket_, to, static_cast<size_t>(most), 0);
  *events = got < 0 && (errno == EAGAIN || errno == EINTR) ? POLLIN : 0;
  return got;
}

ssize_t Connection::try_write(const char* from, size_t size, short* events) {
  const int most = static_cast<int>(std::min<size_t>(size, 1 << 20));
  if (tls_ != nullptr) return tls_result(SSL_write(tls_.get(), from, most), events);
  const ssize_t put = send(socket_, from, static_cast<size_t>(most), MSG_NOSIGNAL);
  *events = put < 0 && (errno == EAGAIN || errno == EINTR) ? POLLOUT : 0;
  return put;
}

bool Connection::open() {
  if (tls_ == nullptr) return true;
  const int64_t deadline_ns = deadline_in(kRequestPatienceMs);
  while (true) {
    short events = 0;
    if (tls_result(SSL_accept(tls_.get()), &events) > 0) return true;
    if (events == 0 || !wait(events, deadline_ns)) return false;
  }
}

bool Connection::next_request(int patience_ms) {
  left_ = kMostRequestBytes;
  read_deadline_ns_ = deadline_in(patience_ms);
  has_first_ = read(&first_, 1) == 1;
  read_deadline_ns_ = deadline_in(kRequestPatienceMs);
  write_deadline_ns_ = deadline_in(kWritePatienceMs);
  return has_first_;
}

void Connection::linger() {
  constexpr int kPatienceMs = 500;
  constexpr size_t kMostBytes = 1 << 20;
  shutdown(socket_, SHUT_WR);
  const int64_t deadline_ns = deadline_in(kPatienceMs);
  char rest[4096];
  for (size_t taken = 0; taken < kMostBytes && wait(POLLIN, deadline_ns);) {
    const ssize_t got = recv(socket_, rest, sizeof(rest), 0);
    if (got <= 0) return;
    taken += static_cast<size_t>(got);
  }
}

bool Connection::is_readable() const { return has_first_ || wait(POLLIN, read_deadline_ns_); }
bool Connection::is_writable() const { return wait(POLLOUT, write_deadline_ns_); }

ssize_t Connection::read(char* to, size_t size) {
  if (size == 0 || left_ == 0) return -1;
  if (has_first_) {
    has_first_ = false;
    *to = first_;
    return 1;
  }
  while (true) {
    short events = 0;
    const ssize_t got = try_read(to, std::min(size, left_), &events);
    if (got > 0) left_ -= static_cast<size_t>(got);
    if (got >= 0) return got;
    if (events == 0 || !wait(events, read_deadline_ns_)) return -1;
  }
}

// All of it: the library goes on only after what it asked for.
ssize_t Connection::write(const char* from, size_t size) {
  size_t done = 0;
  while (done < size) {
    short events = 0;
    const ssize_t put = try_write(from + done, size - done, &events);
    if (put > 0) done += static_cast<size_t>(put);
    if (put > 0) continue;
    const int64_t deadline_ns = std::min(write_deadline_ns_, deadline_in(kStalledPatienceMs));
    if (events == 0 || !wait(events, deadline_ns)) return -1;
  }
  return static_cast<ssize_t>(done);
}

void Connection::get_remote_ip_and_port(std::string& ip, int& port) const {
  address_of(socket_, getpeername, &ip, &port);
}
void Connection::get_local_ip_and_port(std::string& ip, int& port) const {
  address_of(socket_, getsockname, &ip, &port);
}

}  // namespace lockstep::serve
