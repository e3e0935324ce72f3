#include "live/asker/agent_client.h"

#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/clock_ns.h"
#include "base/json.h"
#include "live/wire/channel.h"
#include "live/wire/messages.h"

namespace lockstep::live {
namespace {

constexpr size_t kMostRowsBytes = size_t{64} << 20;

Status no_way(const std::string& where, const char* why) {
  return Status::error("cannot reach the agent at " + where + ": " + why);
}

// A descriptor that is connected, or the reason.
Result<int> finish_connect(int fd, int started, int64_t deadline_ns, const std::string& where) {
  int why = started == 0 ? 0 : errno;
  if (started != 0 && (why == EINPROGRESS || why == EINTR)) {
    const int64_t left_ms = std::max<int64_t>(0, (deadline_ns - mono_now_ns()) / 1'000'000);
    pollfd wanted{fd, POLLOUT, 0};
    socklen_t size = sizeof why;
    const int got = poll(&wanted, 1, static_cast<int>(std::min<int64_t>(left_ms, 3'600'000)));
    why = got > 0 ? 0 : ETIMEDOUT;
    if (got > 0) getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &size);
  }
  if (why == 0) return fd;
  close(fd);
  return no_way(where, why == ECONNREFUSED ? "nobody listens there any more" : std::strerror(why));
}

Result<int> connect_tcp(const AgentAddress& agent, int64_t deadline_ns) {
  const std::string where = agent.address + ":" + std::to_string(agent.port);
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  const int status =
      getaddrinfo(agent.address.c_str(), std::to_string(agent.port).c_str(), &hints, &found);
  if (status != 0) return no_way(where, gai_strerror(status));
  const int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) {
    freeaddrinfo(found);
    return no_way(where, std::strerror(errno));
  }
  const int started = connect(fd, found->ai_addr, found->ai_addrlen);
  const int why = errno;
  freeaddrinfo(found);
  errno = why;
  return finish_connect(fd, started, deadline_ns, where);
}

Result<int> connect_unix(const std::string& path, int64_t deadline_ns) {
  const size_t slash = path.rfind('/');
  const int folder = open(path.substr(0, slash).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return no_way(path, std::strerror(errno));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const int length = std::snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s",
                                   folder, path.c_str() + slash + 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0 || length >= static_cast<int>(sizeof address.sun_path)) {
    const int why = fd < 0 ? errno : ENAMETOOLONG;
    if (fd >= 0) close(fd);
    close(folder);
    return no_way(path, std::strerror(why));
  }
  const int started = connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const int why = errno;
  close(folder);
  errno = why;
  return finish_connect(fd, started, deadline_ns, path);
}

// Rows and parts until the end.
Result<HostAnswer> read_answer(Channel* channel, PartSink* parts) {
  std::string rows;
  while (true) {
    Result<ChannelFrame> frame = channel->receive();
    if (!frame.ok()) return frame.status();
    const std::string& bytes = frame.value().bytes;
    switch (frame.value().type) {
      case FrameType::Rows:
        if (rows.size() + bytes.size() > kMostRowsBytes)
          return Status::error("its answer is longer than 64 MiB");
        rows += bytes;
        break;
      case FrameType::Part: {
        const auto part = parse_part(bytes);
        if (!part || !parts->put(part->name, part->bytes))
          return Status::error("its answer has more than was asked for (--max-bytes)");
        break;
      }
      case FrameType::End: {
        Result<HostAnswer> answer = parse_end(bytes);
        if (!is_list_of_objects(rows)) return Status::error("its rows are no list of JSON objects");
        if (answer.ok()) answer.value().rows = std::move(rows);
        return answer;
      }
      case FrameType::Refusal:
        return Status::error(bytes);
      case FrameType::Question:
        return Status::error("what listens there asks instead of answering");
    }
  }
}

}  // namespace

Result<HostAnswer> ask_agent(const AgentAddress& agent, const std::optional<LiveKey>& key,
                             const AgentQuestion& question, PartSink* parts) {
  const bool over_tcp = agent.socket.empty();
  if (over_tcp && !key) return Status::error("there is no key for it: give --key");
  const Result<int> fd = over_tcp ? connect_tcp(agent, question.deadline_ns)
                                  : connect_unix(agent.socket, question.deadline_ns);
  if (!fd.ok()) return fd.status();
  Channel channel(fd.value(), question.deadline_ns);
  if (over_tcp) {
    const Status greeted = channel.greet_as_asker(*key);
    if (!greeted.ok()) return greeted;
  }
  QuestionMessage message{question.question, question.run, 0, question.most_bytes};
  message.patience_ms = static_cast<uint32_t>(
      std::clamp<int64_t>((question.deadline_ns - mono_now_ns()) / 1'000'000, 1, 3'600'000));
  const std::string json = question_json(message);
  if (json.size() > kMostFrameBytes) return Status::error("the question is longer than 64 KiB");
  const Status sent = channel.send(FrameType::Question, json, true);
  if (!sent.ok()) return sent;
  return read_answer(&channel, parts);
}

}  // namespace lockstep::live
