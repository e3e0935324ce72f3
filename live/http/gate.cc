#include "live/http/gate.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"

namespace lockstep::serve {
namespace {

std::string without_port(const std::string& host) {
  const size_t colon = host.rfind(':');
  const bool has_port = colon != std::string::npos && host.find(']', colon) == std::string::npos;
  return has_port ? host.substr(0, colon) : host;
}

std::string without_scheme(const std::string& origin) {
  for (const char* scheme : {"http://", "https://"}) {
    if (starts_with(origin, scheme)) return origin.substr(std::string_view(scheme).size());
  }
  return "";
}

}  // namespace

bool Gate::knows(const std::string& host_and_port) const {
  const std::string host = without_port(host_and_port);
  for (const char* name : {"localhost", "127.0.0.1", "[::1]"}) {
    if (host == name) return true;
  }
  return !host.empty() && std::find(names_.begin(), names_.end(), host) != names_.end();
}

std::optional<Gate::Refusal> Gate::refusal(const HttpRequest& request, std::string* user) const {
  if (!knows(request.host))
    return Refusal{403, "this server is not known by the name in the Host header"};
  if (!request.origin.empty() && without_scheme(request.origin) != request.host)
    return Refusal{403, "pages of other origins may not ask"};
  const bool page = request.path == "/";
  if (!page && !starts_with(request.path, "/api/"))
    return Refusal{404, "there is / and /api/, nothing else"};
  if (!page) {
    const User* asks = user_of(users_, request.authorization);
    if (asks == nullptr)
      return Refusal{401, "a token is needed: the header Authorization: Bearer TOKEN"};
    *user = asks->name;
  }
  if (request.method != "GET" && (page || request.method != "POST"))
    return Refusal{405, "only GET, and POST to /api/query"};
  if (starts_with(request.content_type, "multipart/"))
    return Refusal{415, "the body is JSON, no form"};
  return std::nullopt;
}

HttpResponse json_response(const JsonFields& out) {
  HttpResponse response;
  response.body = std::string(out.text()) + "\n";
  return response;
}

HttpResponse error_response(int status, const std::string& sentence) {
  JsonFields out;
  out.object([&] { out.string("error", sentence); });
  HttpResponse response = json_response(out);
  response.status = status;
  if (status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

}  // namespace lockstep::serve
