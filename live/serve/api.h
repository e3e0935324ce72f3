// The server's door: the gate before any answer, headers that keep browsers to what the page needs, and the access log. Any
// number of threads at once.
#pragma once

#include "live/http/access_log.h"
#include "live/http/gate.h"
#include "live/http/http.h"
#include "live/serve/answers.h"

namespace lockstep::serve {

class Api : public HttpHandler {
 public:
  // `answers` and `log` must outlive it.
  Api(Answers* answers, Gate gate, AccessLog* log)
      : answers_(*answers), gate_(std::move(gate)), log_(*log) {}

  bool refuse(const HttpRequest& request, HttpResponse* response) override;
  void answer(const HttpRequest& request, HttpResponse* response) override;

 private:
  // With `run` and the path within it, where there are several.
  HttpRequest placed(const HttpRequest& request) const;

  Answers& answers_;
  const Gate gate_;
  AccessLog& log_;
};

}  // namespace lockstep::serve
