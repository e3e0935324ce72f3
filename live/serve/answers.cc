#include "live/serve/answers.h"

#include "analysis/page/page.h"
#include "live/follow/live_answer.h"
#include "live/http/gate.h"
#include "live/serve/ops_answer.h"
#include "live/serve/run_answer.h"
#include "live/serve/steps_answer.h"
#include "live/serve/tiles_answer.h"
#include "live/serve/trace_answer.h"

namespace lockstep::serve {

HttpResponse page_answer() {
  HttpResponse response;
  response.type = "text/html; charset=utf-8";
  response.body = analysis::page_shell("lockstep");
  response.headers.emplace_back("Content-Security-Policy", analysis::page_shell_policy());
  return response;
}

HttpResponse RunAnswers::answer(const HttpRequest& request) {
  if (request.path == "/") return page_answer();
  const Reading reading = run_->now();
  const ServedRun& run = *reading.run;
  if (request.method == "POST") {
    return request.path == "/api/query" ? queries_.answer(reading.run, request)
                                        : error_response(404, "POST is for /api/query");
  }
  if (request.path == "/api/run") return answer_run(reading, request);
  if (request.path == "/api/live") return answer_live(reading, run_->trouble(), request);
  if (request.path == "/api/tiles") return answer_tiles(run, request);
  if (request.path == "/api/ops") return answer_ops(run, request);
  if (request.path == "/api/steps") return answer_steps(run, request);
  if (request.path == "/api/stacks") return stacks_.answer(run.directory(), request);
  if (request.path == "/api/trace") return answer_trace(run, request);
  if (request.path == "/api/query")
    return error_response(405, "a statement comes by POST, in the body");
  return error_response(404,
                        "there are /api/run, live, tiles, ops, steps, stacks, trace and query");
}

}  // namespace lockstep::serve
