#include "live/agent/agent.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/clock_ns.h"
#include "base/system.h"
#include "base/text.h"
#include "base/thread.h"
#include "dumper/run/process_state.h"
#include "live/agent/asker_session.h"
#include "live/local/local_processes.h"
#include "lockstep/version.h"

namespace lockstep::live {
namespace {

constexpr int kLookMs = 5000;  // how often it asks whether the job has ended, and calls at_look
constexpr int64_t kGoneNs = 30'000'000'000, kNeverCameNs = 1'800'000'000'000;
constexpr int kRetryMs = 100;  // with too many connections, or no descriptor left
constexpr int kBacklog = 64;   // connections that wait in the kernel

std::string reason(const std::string& what) { return what + ": " + std::strerror(errno); }

Registration describe(const AgentOptions& options) {
  Registration registration;
  registration.process = dumper::process_here(options.host, static_cast<uint32_t>(getpid()));
  registration.net_namespace = link_target("/proc/self/ns/net");
  registration.started = utc_text("%Y-%m-%dT%H:%M:%SZ", real_now_ns());
  registration.version = kVersion;
  return registration;
}

bool is_own_user(int fd) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         (peer.uid == geteuid() || peer.uid == 0);
}

// Paths of sockets are short: the folder is named by its descriptor. -1 with errno.
int listen_at(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string name = path.substr(slash + 1);
  const int folder = open(path.substr(0, slash).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const int fd = folder < 0 ? -1 : socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  bool listens = fd >= 0;
  if (listens) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const int length = std::snprintf(address.sun_path, sizeof address.sun_path,
                                     "/proc/self/fd/%d/%s", folder, name.c_str());
    errno = ENAMETOOLONG;
    listens = length < static_cast<int>(sizeof address.sun_path);
    unlinkat(folder, name.c_str(), 0);  // an earlier agent's
    listens = listens && fchmod(fd, 0600) == 0 &&
              bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
              listen(fd, kBacklog) == 0;
  }
  const int why = errno;
  if (folder >= 0) close(folder);
  if (!listens && fd >= 0) close(fd);
  errno = why;
  return listens ? fd : -1;
}

}  // namespace

struct Agent::Shared {
  AgentOptions options;
  Admission admission;
};

Agent::Agent(const AgentOptions& options)
    : options_(options), registration_(describe(options)), shared_(std::make_shared<Shared>()) {
  shared_->options = options;
}

Agent::~Agent() {
  for (const std::string& run : options_.runs) remove_registration(run, registration_);
  for (const std::string& path : sockets_) unlink(path.c_str());
  for (const int fd : unix_) close(fd);
  if (tcp_ >= 0) close(tcp_);
}

Result<std::unique_ptr<Agent>> Agent::start(const AgentOptions& options,
                                            std::vector<std::string>* complaints) {
  std::unique_ptr<Agent> agent(new Agent(options));
  if (options.key) {
    const Status listens = agent->listen_tcp();
    if (!listens.ok()) return listens;
  }
  agent->listen_unix(complaints);
  if (agent->tcp_ < 0 && agent->unix_.empty())
    return Status::error(
        "nobody could reach this agent: it has no key for TCP, and no run directory for a Unix "
        "socket; give --key, or a run directory that you may write to");
  agent->register_everywhere(complaints);
  return agent;
}

Status Agent::listen_tcp() {
  const std::string where = options_.listen_address + ":" + std::to_string(options_.listen_port);
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_PASSIVE;
  if (getaddrinfo(options_.listen_address.c_str(), std::to_string(options_.listen_port).c_str(),
                  &hints, &found) != 0)
    return Status::error(where + ": not an address; expected numbers, as in 10.0.0.1:4711");
  tcp_ = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int one = 1;
  setsockopt(tcp_, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  const bool listens = tcp_ >= 0 && bind(tcp_, found->ai_addr, found->ai_addrlen) == 0 &&
                       listen(tcp_, kBacklog) == 0;
  freeaddrinfo(found);
  if (!listens) return Status::error(reason("cannot listen on " + where));
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  char port[NI_MAXSERV] = {};
  getsockname(tcp_, reinterpret_cast<sockaddr*>(&bound), &size);
  getnameinfo(reinterpret_cast<sockaddr*>(&bound), size, nullptr, 0, port, sizeof port,
              NI_NUMERICSERV);
  registration_.address = options_.listen_address;
  registration_.port = parse_number<uint16_t>(port).value_or(0);
  registration_.key_name = key_name(*options_.key);
  return Status();
}

void Agent::listen_unix(std::vector<std::string>* complaints) {
  for (const std::string& run : options_.runs) {
    const std::string path = socket_path(run, options_.host);
    mkdir(path.substr(0, path.rfind('/')).c_str(), 0700);
    const int fd = listen_at(path);
    if (fd < 0) {
      complaints->push_back(reason("cannot listen on " + path));
      continue;
    }
    unix_.push_back(fd);
    sockets_.push_back(path);
  }
}

void Agent::register_everywhere(std::vector<std::string>* complaints) {
  for (const std::string& run : options_.runs) {
    const Status written = write_registration(run, registration_);
    if (!written.ok())
      complaints->push_back("not registered, so this agent is found only by its address: " +
                            written.message());
  }
}

void Agent::accept_one(int listener, bool over_tcp) {
  const int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) {  // gone again, or no descriptor left: then poll() would return at once
    if (errno != EAGAIN && errno != ECONNABORTED) poll(nullptr, 0, kRetryMs);
    return;
  }
  if (!over_tcp && !is_own_user(fd)) {
    close(fd);
    return;
  }
  shared_->admission.come(fd, !over_tcp);
  const auto thread = start_thread("lockstep-answer", [shared = shared_, fd, over_tcp] {
    const AgentOptions& options = shared->options;
    SessionTerms terms;
    terms.host = options.host;
    terms.runs = options.runs;
    terms.records = options.records;
    terms.key = over_tcp ? &*options.key : nullptr;
    terms.greeting_ns = options.greeting_ns;
    terms.admission = &shared->admission;
    answer_asker(fd, terms);
  });
  if (thread) {
    pthread_detach(*thread);
  } else {
    shared_->admission.leave(fd);
    close(fd);
  }
}

// Cheap as a rule: one process that still runs is proof enough.
bool Agent::job_has_ended() {
  if (options_.stay) return false;
  const int64_t now = mono_now_ns();
  if (none_since_ns_ == 0) none_since_ns_ = now;
  if (dumper::process_state(known_) == dumper::ProcessState::Running) return false;
  std::vector<std::string> places = options_.runs;
  places.insert(places.end(), options_.records.begin(), options_.records.end());
  const auto processes = local_processes({options_.host, places});
  if (!processes.empty()) {
    seen_any_ = true;
    none_since_ns_ = now;
    known_ = dumper::process_here(options_.host, processes.front().pid);
  }
  return now - none_since_ns_ > (seen_any_ ? kGoneNs : kNeverCameNs);
}

void Agent::serve(int stop_fd) {
  std::vector<pollfd> events = {{stop_fd, POLLIN, 0}};
  for (const int fd : unix_) events.push_back({fd, POLLIN, 0});
  if (tcp_ >= 0) events.push_back({tcp_, POLLIN, 0});
  int64_t next_look_ns = 0;
  while (true) {
    if (mono_now_ns() >= next_look_ns) {
      const bool is_busy = options_.at_look && options_.at_look();
      if (job_has_ended() && !is_busy) return;
      next_look_ns = mono_now_ns() + int64_t{kLookMs} * 1'000'000;
    }
    const bool full = shared_->admission.inside() >= kMostInside;
    const int got = poll(events.data(), full ? 1 : events.size(), full ? kRetryMs : kLookMs);
    if (got <= 0) continue;
    if (events[0].revents != 0) return;
    for (const pollfd& event : events) {
      if (event.revents != 0) accept_one(event.fd, event.fd == tcp_);
    }
  }
}

}  // namespace lockstep::live
