// Asks all hosts one question at the same time, more than 512 agents through some of them
// (relay_groups.h), and waits for them no longer than the deadline: what
// came until then is the answer, and the rest is named. One thread at a time per call.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "live/asker/target.h"
#include "live/questions/question.h"

namespace lockstep::live {

struct FailedHost {
  std::string host;
  std::string reason;  // a sentence
};

struct HostRows {
  std::string host;
  std::string rows;  // a JSON array of objects
};

struct Answers {
  size_t hosts_asked = 0, hosts_answered = 0;
  // Hosts that did not answer, and processes of hosts that did.
  std::vector<FailedHost> failed;
  std::vector<HostRows> hosts;  // those that answered, in the targets' order
  uint64_t bytes = 0;           // of rows and parts
  int64_t oldest_data_ns = 0;   // age, when it was read, of the oldest of the data
};

// Takes parts (PartSink) of all hosts; called from one thread at a time. A name that could leave the
// folder of the host, or whose bytes are more than max_bytes with those before, ends that host's answer.
class PartTaker {
 public:
  virtual ~PartTaker() = default;
  // False: it cannot be kept; the host's answer ends with an error.
  virtual bool take(const std::string& host, const std::string& name, std::string_view bytes) = 0;
};

struct AskTerms {
  int64_t deadline_ns = 0;                 // of CLOCK_MONOTONIC
  uint64_t max_bytes = uint64_t{1} << 28;  // of all parts together
  bool flat = false;                       // each host by itself, however many
};

// `taker` may be null where the question has no parts.
Answers ask_all(const Targets& targets, const Question& question, const AskTerms& terms,
                PartTaker* taker);

// The same for whoever hands the answers on: what each host said, as targets.hosts.
std::vector<Result<HostAnswer>> ask_each(const Targets& targets, const Question& question,
                                         const AskTerms& terms, PartTaker* taker);

// USER@HOST of this process, for Question::asker.
std::string this_asker();

}  // namespace lockstep::live
