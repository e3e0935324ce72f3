// What a server has to say once the gate has let a request in: about one run, or about a folder of runs. Any number of
// threads at once.
#pragma once

#include <memory>

#include "live/follow/followed_run.h"
#include "live/follow/stacks_tree.h"
#include "live/http/http.h"
#include "live/serve/query_answer.h"

namespace lockstep::serve {

class Answers {
 public:
  virtual ~Answers() = default;
  // Whether it has runs beneath /runs/NAME/, which HttpRequest::run names then.
  virtual bool is_folder() const { return false; }
  virtual HttpResponse answer(const HttpRequest& request) = 0;
};

class RunAnswers : public Answers {
 public:
  explicit RunAnswers(std::unique_ptr<FollowedRun> run) : run_(std::move(run)) {}
  HttpResponse answer(const HttpRequest& request) override;
  std::shared_ptr<const ServedRun> run() const { return run_->now().run; }

 private:
  const std::unique_ptr<FollowedRun> run_;
  QueryAnswers queries_;
  StacksTree stacks_;
};

// The page, which has no data.
HttpResponse page_answer();

}  // namespace lockstep::serve
