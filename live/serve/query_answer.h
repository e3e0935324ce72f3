// /api/query: one SELECT in the sandboxed SQL session, with caps on rows, memory, disk and time. One
// statement runs at a time; others wait, and are told when it takes too long. Any thread. Of a run that
// goes on it holds the reading of the last statement until the next.
#pragma once

#include <memory>
#include <mutex>

#include "analysis/sql/query_session.h"
#include "live/follow/served_run.h"
#include "live/http/http.h"

namespace lockstep::serve {

constexpr uint64_t kMostQueryRows = 10'000;
constexpr int64_t kQueryPatienceMs = 10'000;
constexpr size_t kMostQueryBytes = 32 << 20;  // of an answer

class QueryAnswers {
 public:
  HttpResponse answer(const std::shared_ptr<const ServedRun>& run, const HttpRequest& request);

 private:
  HttpResponse ask(const std::string& sql, uint64_t most_rows);

  std::timed_mutex mutex_;  // guards what follows
  std::shared_ptr<const ServedRun> run_;
  RunPartPointer part_;  // what the session is about
  std::unique_ptr<analysis::QuerySession> session_;
};

}  // namespace lockstep::serve
