// What is served before it has records: a run whose job has just begun, or will begin, or a folder of runs to come. Each
// request looks again, a second after the last one did; from when there is something it answers as that. Any number of
// threads at once.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "live/serve/answers.h"

namespace lockstep::serve {

constexpr const char* kNoRecords = "no records yet; waiting for the first";

// The page; of /api/run that it waits and why, which is no error: a page asks again until there are records. Others: not now.
HttpResponse waiting_response(const HttpRequest& request, const std::string& why);

class Awaited : public Answers {
 public:
  // The error says why there is nothing to show yet.
  using Open = std::function<Result<std::unique_ptr<Answers>>()>;
  explicit Awaited(Open open) : open_(std::move(open)) {}
  bool is_folder() const override;
  HttpResponse answer(const HttpRequest& request) override;

 private:
  std::shared_ptr<Answers> opened() const;
  // Null: there is nothing yet, and *why says that.
  std::shared_ptr<Answers> look(std::string* why);

  const Open open_;
  std::timed_mutex looking_;  // guards looked_ns_ and why_; held while it is opened
  int64_t looked_ns_ = 0;
  std::string why_ = kNoRecords;
  mutable std::mutex mutex_;  // guards answers_
  std::shared_ptr<Answers> answers_;
};

}  // namespace lockstep::serve
