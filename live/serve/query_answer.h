// /api/query: one SELECT in the sandboxed SQL session, with caps on rows, memory, disk and time. One
// statement runs at a time; others wait, and are told when it takes too long. Any thread.
#pragma once

#include <memory>
#include <mutex>

#include "analysis/sql/query_session.h"
#include "live/serve/http.h"

namespace lockstep::serve {

constexpr uint64_t kMostQueryRows = 10'000;
constexpr int64_t kQueryPatienceMs = 10'000;
constexpr size_t kMostQueryBytes = 32 << 20;  // of an answer

class QueryAnswers {
 public:
  // `input` must outlive it.
  explicit QueryAnswers(const analysis::ExportInput* input) : input_(*input) {}

  HttpResponse answer(const HttpRequest& request);

 private:
  HttpResponse ask(const std::string& sql, uint64_t most_rows);

  const analysis::ExportInput& input_;
  std::timed_mutex mutex_;  // guards session_
  std::unique_ptr<analysis::QuerySession> session_;
};

}  // namespace lockstep::serve
