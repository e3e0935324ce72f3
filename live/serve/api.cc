#include "live/serve/api.h"

#include "base/clock_ns.h"
#include "base/text.h"
#include "live/http/packing.h"

namespace lockstep::serve {
namespace {

constexpr std::string_view kRuns = "/runs/";

// What a browser may do with any answer: nothing that the page does not need.
void add_safety(HttpResponse* response) {
  for (const auto& [name, value] :
       {std::make_pair("Cache-Control", "no-store"),
        std::make_pair("X-Content-Type-Options", "nosniff"),
        std::make_pair("X-Frame-Options", "DENY"), std::make_pair("Referrer-Policy", "no-referrer"),
        std::make_pair("Cross-Origin-Resource-Policy", "same-origin")})
    response->headers.emplace_back(name, value);
}

}  // namespace

HttpRequest Api::placed(const HttpRequest& request) const {
  HttpRequest inside = request;
  if (!answers_.is_folder() || !starts_with(request.path, kRuns)) return inside;
  const size_t end = request.path.find('/', kRuns.size());
  if (end == std::string::npos || end == kRuns.size()) return inside;
  inside.run = request.path.substr(kRuns.size(), end - kRuns.size());
  inside.path = request.path.substr(end);
  return inside;
}

bool Api::refuse(const HttpRequest& request, HttpResponse* response) {
  std::string user;
  const auto refused = gate_.refusal(placed(request), &user);
  if (!refused) return false;
  *response = error_response(refused->status, refused->sentence);
  add_safety(response);
  log_.add(request, user, *response, 0);
  return true;
}

void Api::answer(const HttpRequest& request, HttpResponse* response) {
  const int64_t begun_ns = mono_now_ns();
  const HttpRequest inside = placed(request);
  *response = answers_.answer(inside);
  pack_text(request, response);
  add_safety(response);
  std::string user;
  gate_.refusal(inside, &user);
  log_.add(request, user, *response, mono_now_ns() - begun_ns);
}

}  // namespace lockstep::serve
