#include "live/serve/api.h"

#include "analysis/page/page.h"
#include "base/clock_ns.h"
#include "live/serve/ops_answer.h"
#include "live/serve/packing.h"
#include "live/serve/run_answer.h"
#include "live/serve/tiles_answer.h"
#include "live/serve/trace_answer.h"

namespace lockstep::serve {
namespace {

// What a browser may do with any answer: nothing that the page does not need.
void add_safety(HttpResponse* response) {
  for (const auto& [name, value] :
       {std::make_pair("Cache-Control", "no-store"),
        std::make_pair("X-Content-Type-Options", "nosniff"),
        std::make_pair("X-Frame-Options", "DENY"), std::make_pair("Referrer-Policy", "no-referrer"),
        std::make_pair("Cross-Origin-Resource-Policy", "same-origin")})
    response->headers.emplace_back(name, value);
}

HttpResponse page(const HttpRequest& request) {
  HttpResponse response;
  response.type = "text/html; charset=utf-8";
  response.body = analysis::page_shell("lockstep");
  response.headers.emplace_back("Content-Security-Policy", analysis::page_shell_policy());
  pack(request, &response);
  return response;
}

}  // namespace

bool Api::refuse(const HttpRequest& request, HttpResponse* response) {
  std::string user;
  const auto refused = gate_.refusal(request, &user);
  if (!refused) return false;
  *response = error_response(refused->status, refused->sentence);
  add_safety(response);
  log_.add(request, user, *response, 0);
  return true;
}

void Api::answer(const HttpRequest& request, HttpResponse* response) {
  const int64_t begun_ns = mono_now_ns();
  *response = answer_to(request);
  add_safety(response);
  std::string user;
  gate_.refusal(request, &user);
  log_.add(request, user, *response, mono_now_ns() - begun_ns);
}

HttpResponse Api::answer_to(const HttpRequest& request) {
  if (request.path == "/") return page(request);
  if (request.method == "POST") {
    return request.path == "/api/query" ? queries_.answer(request)
                                        : error_response(404, "POST is for /api/query");
  }
  if (request.path == "/api/run") return answer_run(run_, request);
  if (request.path == "/api/tiles") return answer_tiles(run_, request);
  if (request.path == "/api/ops") return answer_ops(run_, request);
  if (request.path == "/api/trace") return answer_trace(run_, request);
  if (request.path == "/api/query")
    return error_response(405, "a statement comes by POST, in the body");
  return error_response(404, "there are /api/run, tiles, ops, trace and query");
}

}  // namespace lockstep::serve
