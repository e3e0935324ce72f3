// /api/stacks: where the ranks of a job that runs stand, as one tree of all their stacks (docs/live.md). Threads are
// stopped for it, each for a moment: one question at a time, and who asks again soon gets the same answer. Any
// thread.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "live/http/http.h"

namespace lockstep::serve {

class StacksTree {
 public:
  // Of the processes that record into this run directory. Status 503: there are none, or nobody answers.
  HttpResponse answer(const std::string& directory, const HttpRequest& request);

 private:
  HttpResponse ask(const std::string& directory);

  std::mutex mutex_;  // guards what follows
  HttpResponse last_;
  int64_t last_ns_ = 0;  // mono_now_ns(); 0: none
};

}  // namespace lockstep::serve
