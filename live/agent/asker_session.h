// One asker's connection at the agent: greeted, heard, and answered when there is a place, then closed.
// Runs on a thread of its own; ends at the latest when the asker's patience does, or greeting_ns after
// connecting when no question came.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "live/agent/admission.h"
#include "live/questions/questions.h"
#include "live/wire/hello.h"

namespace lockstep::live {

struct SessionTerms {
  std::string host;
  std::vector<std::string> runs, records;  // as AgentOptions
  const LiveKey* key = nullptr;            // of TCP; null over the own host's Unix socket
  Answerer answer = answer_question;
  int64_t greeting_ns = 2'000'000'000;  // from connecting to the whole question
  Admission* admission = nullptr;       // where `fd` came in; null: nobody counts
};

// Owns `fd`. Throws nothing.
void answer_asker(int fd, const SessionTerms& terms);

}  // namespace lockstep::live
