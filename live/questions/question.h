// A question to hosts of a running job, and what one host says to it. An agent answers for its host;
// for the own host the asker's process answers itself, by the same table (questions.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/status.h"

namespace lockstep::live {

struct Question {
  std::string word;       // one of the table's
  std::string arguments;  // a JSON object, as the word's answerer reads it; empty for none
  std::string asker;      // USER@HOST: what changes something is noted with it
};

// For whom an answer is made. An answerer looks at no process of another host: another agent of the
// same machine speaks for that.
struct HostContext {
  std::string host;               // as processes are recorded under it
  std::vector<std::string> runs;  // run directories; empty: all of this user's processes
  int64_t deadline_ns = 0;        // of CLOCK_MONOTONIC; what is not ready by then comes too late
  uint32_t agent_pid = 0;         // of the agent that answers; 0: the asker itself does
};

struct HostAnswer {
  // A JSON array of objects. The asker puts all hosts' into one, under its command's name.
  std::string rows = "[]";
  // How old the oldest of the data was when it was read.
  int64_t oldest_data_ns = 0;
  // A sentence for each process that did not answer, with its id. The others' rows count.
  std::vector<std::string> failed;
};

// What a part may be called: letters, digits, `.`, `_`, `-`, `=` and `+`, in up to four folders by
// slashes, none of them beginning with a dot; 255 bytes at most.
bool is_part_name(std::string_view name);

// Takes the bytes of an answer that are no JSON, on their way to the asker: parts of files, say. Puts
// under one name follow each other.
class PartSink {
 public:
  virtual ~PartSink() = default;
  // False when the asker is gone, wants no more bytes, or the name is none: stop, the answer is lost.
  virtual bool put(const std::string& name, std::string_view bytes) = 0;
};

// The error is a sentence for the whole host; it is put into `failed` beside the host's name. Threads:
// several questions may be answered at the same time.
using Answerer = Result<HostAnswer> (*)(const HostContext& context, const Question& question,
                                        PartSink* parts);

}  // namespace lockstep::live
