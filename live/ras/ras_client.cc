#include "live/ras/ras_client.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/clock_ns.h"
#include "base/text.h"

namespace lockstep::live {
namespace {

constexpr size_t kLongestAnswerBytes = size_t{64} << 20;  // some 300 bytes a rank and communicator
constexpr const char* kProtocol = "CLIENT PROTOCOL 2";    // since 2.24

class Conversation {
 public:
  Conversation(const RasAddress& address, int64_t deadline_ns)
      : name_("RAS at " + address.host + ":" + address.port), deadline_ns_(deadline_ns) {}
  ~Conversation() {
    if (fd_ >= 0) close(fd_);
  }
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  Status connect_to(const RasAddress& address);
  Status send_line(const std::string& line);
  // Without its end.
  Result<std::string> line();
  // All until the server closes.
  Result<std::string> rest();
  Status failure(const std::string& what) const { return Status::error(name_ + ": " + what); }

 private:
  Status connect_one(const addrinfo& address);
  Status wait_for(short events) const;
  // False: the server has closed.
  Result<bool> receive();

  std::string name_;
  int64_t deadline_ns_;
  int fd_ = -1;
  std::string buffer_;
};

Status Conversation::wait_for(short events) const {
  while (true) {
    const int64_t left_ms = (deadline_ns_ - mono_now_ns()) / 1'000'000;
    if (left_ms <= 0)
      return failure(
          "no answer in time; NCCL waits for each of its processes, and one may be stuck");
    pollfd one = {fd_, events, 0};
    const int ready = poll(&one, 1, static_cast<int>(std::min<int64_t>(left_ms, 1000)));
    if (ready > 0) return Status();
    if (ready < 0 && errno != EINTR) return failure(std::string("poll: ") + std::strerror(errno));
  }
}

Status Conversation::connect_one(const addrinfo& address) {
  fd_ = socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd_ < 0) return failure(std::string("cannot make a socket: ") + std::strerror(errno));
  if (connect(fd_, address.ai_addr, address.ai_addrlen) == 0) return Status();
  int error = errno;
  if (error == EINPROGRESS) {
    Status status = wait_for(POLLOUT);
    if (!status.ok()) return status;
    socklen_t size = sizeof error;
    getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size);
  }
  if (error == 0) return Status();
  close(fd_);
  fd_ = -1;
  return failure(std::string("cannot connect: ") + std::strerror(error) +
                 "; is there an NCCL job on this host, with NCCL_RAS_ENABLE not 0 and this "
                 "NCCL_RAS_ADDR?");
}

Status Conversation::connect_to(const RasAddress& address) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int rc = getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &found);
  if (rc != 0) return failure(std::string("cannot find the host: ") + gai_strerror(rc));
  Status status = failure("has no address");
  for (const addrinfo* one = found; one != nullptr && fd_ < 0; one = one->ai_next)
    status = connect_one(*one);
  freeaddrinfo(found);
  return status;
}

Status Conversation::send_line(const std::string& line) {
  const std::string text = line + "\n";
  for (size_t done = 0; done < text.size();) {
    const ssize_t sent = send(fd_, text.data() + done, text.size() - done, MSG_NOSIGNAL);
    if (sent > 0) {
      done += static_cast<size_t>(sent);
      continue;
    }
    if (sent < 0 && errno != EAGAIN && errno != EINTR)
      return failure(std::string("cannot ask: ") + std::strerror(errno));
    if (Status status = wait_for(POLLOUT); !status.ok()) return status;
  }
  return Status();
}

Result<bool> Conversation::receive() {
  char bytes[16384];
  while (true) {
    const ssize_t got = recv(fd_, bytes, sizeof bytes, 0);
    if (got > 0) {
      buffer_.append(bytes, static_cast<size_t>(got));
      return true;
    }
    if (got == 0) return false;
    if (errno != EAGAIN && errno != EINTR)
      return failure(std::string("cannot read the answer: ") + std::strerror(errno));
    if (Status status = wait_for(POLLIN); !status.ok()) return status;
  }
}

Result<std::string> Conversation::line() {
  size_t end = 0;
  while ((end = buffer_.find('\n')) == std::string::npos) {
    if (buffer_.size() > 4096) return failure("its answer is no line of text");
    const Result<bool> more = receive();
    if (!more.ok()) return more.status();
    if (!more.value())
      return failure("it closed the connection; what answers there may be no NCCL");
  }
  std::string text = buffer_.substr(0, end);
  buffer_.erase(0, end + 1);
  if (!text.empty() && text.back() == '\r') text.pop_back();
  return text;
}

Result<std::string> Conversation::rest() {
  while (true) {
    const Result<bool> more = receive();
    if (!more.ok()) return more.status();
    if (!more.value()) return std::move(buffer_);
    if (buffer_.size() > kLongestAnswerBytes) return failure("its answer is longer than 64 MB");
  }
}

Status expect_ok(Conversation* ras, const std::string& request) {
  if (Status status = ras->send_line(request); !status.ok()) return status;
  const Result<std::string> answer = ras->line();
  if (!answer.ok()) return answer.status();
  if (answer.value() == "OK" || answer.value() == "ok") return Status();
  return ras->failure("it answered '" + answer.value().substr(0, 200) + "' to " + request +
                      (starts_with(request, "SET FORMAT") ? "; JSON needs NCCL 2.28.7" : ""));
}

}  // namespace

Result<RasAddress> parse_ras_address(const std::string& text) {
  const size_t colon = text.rfind(':');
  RasAddress address;
  if (colon != std::string::npos) {
    address.host = text.substr(0, colon);
    address.port = text.substr(colon + 1);
  }
  if (address.host.size() > 2 && address.host.front() == '[' && address.host.back() == ']')
    address.host = address.host.substr(1, address.host.size() - 2);
  const auto port = parse_number<uint16_t>(address.port);
  if (address.host.empty() || !port || *port == 0)
    return Status::error("'" + text + "' is no HOST:PORT, such as " + kRasAddress);
  return address;
}

Result<std::string> ask_ras(const RasAddress& address, const RasTerms& terms) {
  Conversation ras(address, terms.deadline_ns);
  if (Status status = ras.connect_to(address); !status.ok()) return status;
  if (Status status = ras.send_line(kProtocol); !status.ok()) return status;
  const Result<std::string> hello = ras.line();
  if (!hello.ok()) return hello.status();
  if (!starts_with(hello.value(), "SERVER PROTOCOL "))
    return ras.failure("it answered '" + hello.value().substr(0, 200) +
                       "' where NCCL's RAS says SERVER PROTOCOL; what listens there is no NCCL");
  for (const std::string& request :
       {"TIMEOUT " + std::to_string(terms.leg_timeout_s), std::string("SET FORMAT json")}) {
    if (Status status = expect_ok(&ras, request); !status.ok()) return status;
  }
  if (Status status = ras.send_line("STATUS"); !status.ok()) return status;
  Result<std::string> answer = ras.rest();
  if (!answer.ok()) return answer;
  const std::string& text = answer.value();
  if (starts_with(text, "BUSY") || starts_with(text, "ERROR"))
    return ras.failure("it says '" + text.substr(0, std::min<size_t>(text.find('\n'), 200)) +
                       "'; ask again in a while");
  if (text.find_last_not_of(" \r\n\t") == std::string::npos)
    return ras.failure("it closed the connection without an answer");
  return answer;
}

}  // namespace lockstep::live
