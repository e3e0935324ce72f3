// What the server answers: the page at /, and the API beneath /api/ for those with a token. Any number of
// threads at once.
#pragma once

#include "live/serve/access_log.h"
#include "live/serve/gate.h"
#include "live/serve/http.h"
#include "live/serve/query_answer.h"
#include "live/serve/served_run.h"

namespace lockstep::serve {

class Api : public HttpHandler {
 public:
  // `run` and `log` must outlive it.
  Api(const ServedRun* run, Gate gate, AccessLog* log)
      : run_(*run), gate_(std::move(gate)), log_(*log), queries_(&run->main_part().input) {}

  bool refuse(const HttpRequest& request, HttpResponse* response) override;
  void answer(const HttpRequest& request, HttpResponse* response) override;

 private:
  HttpResponse answer_to(const HttpRequest& request);

  const ServedRun& run_;
  const Gate gate_;
  AccessLog& log_;
  QueryAnswers queries_;
};

}  // namespace lockstep::serve
