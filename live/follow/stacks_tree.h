// /api/stacks: where the ranks of a job that runs stand, as one tree of all their stacks (docs/live.md). Threads are
// stopped for it, each for a moment: one question at a time, and who asks again soon gets the same answer. The last one is
// kept in the run (analysis/report/kept_findings.h), as is that of `lockstep stacks`: it is the answer when no process is there
// any more to ask. Any thread.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "live/asker/ask_all.h"
#include "live/http/http.h"
#include "live/places/stack_row.h"

namespace lockstep::serve {

class StacksTree {
 public:
  // Of the processes that record into this run directory, or as they stood when somebody asked last. Status 503: there are
  // none, or nobody answers, and nothing is kept.
  HttpResponse answer(const std::string& directory, const HttpRequest& request);

 private:
  HttpResponse ask(const std::string& directory);

  std::mutex mutex_;  // guards what follows
  HttpResponse last_;
  int64_t last_ns_ = 0;  // mono_now_ns(); 0: none
};

// The answer, of processes that were asked now.
std::string stacks_tree_json(const live::Answers& answers, const std::vector<live::StackRow>& rows);

// Whether an answer is kept in this run.
bool has_kept_stacks(const std::string& directory);

}  // namespace lockstep::serve
