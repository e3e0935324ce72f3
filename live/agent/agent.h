// `lockstep agent`: answers questions about the recording processes of its host, to whoever has the
// run's key over TCP, and to its own user over a Unix socket. One thread accepts, one more for each
// connection; who is let in, and who is answered, is admission.h. It owns
// nothing of the job: it reads what any process of the user may read, and asks control sockets.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "live/registry/registration.h"
#include "live/wire/hello.h"
#include "lockstep/status.h"

namespace lockstep::live {

struct AgentOptions {
  std::string host;               // whose processes it answers for
  std::vector<std::string> runs;  // absolute; it registers in each
  // Where processes of these runs record besides, absolute: a disk of the node.
  std::vector<std::string> records;
  std::optional<LiveKey> key;           // without: no TCP
  std::string listen_address;           // numeric
  uint16_t listen_port = 0;             // 0: any free one
  bool stay = false;                    // goes on when no process records any more
  int64_t greeting_ns = 2'000'000'000;  // how long a connection may ask nothing
  // Called now and then by the thread that serves; true keeps the agent, though the job has ended.
  std::function<bool()> at_look;
};

class Agent {
 public:
  // Listens and registers. A run in which it cannot register is a sentence in `complaints`; the error
  // is for an agent that nobody could reach.
  static Result<std::unique_ptr<Agent>> start(const AgentOptions& options,
                                              std::vector<std::string>* complaints);
  ~Agent();
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  const Registration& registration() const { return registration_; }

  // Until `stop_fd` can be read, or the job has ended: no process of its runs has recorded for half a
  // minute, or none came for half an hour.
  void serve(int stop_fd);

 private:
  struct Shared;

  explicit Agent(const AgentOptions& options);
  Status listen_tcp();
  void listen_unix(std::vector<std::string>* complaints);
  void register_everywhere(std::vector<std::string>* complaints);
  void accept_one(int listener, bool over_tcp);
  bool job_has_ended();

  AgentOptions options_;
  Registration registration_;
  int tcp_ = -1;
  std::vector<int> unix_;
  std::vector<std::string> sockets_;  // their paths
  std::shared_ptr<Shared> shared_;    // with the threads that answer
  // What job_has_ended() remembers: a process that recorded the last time, and since when none has.
  dumper::ProcessIdentity known_;  // of the job; none yet: pid 0
  bool seen_any_ = false;
  int64_t none_since_ns_ = 0;
};

}  // namespace lockstep::live
