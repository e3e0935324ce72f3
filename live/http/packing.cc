#include "live/http/packing.h"

#include "analysis/page/packed.h"

namespace lockstep::serve {
namespace {

constexpr int kLevel = 1;  // tiles shrink to a fifth at 1, hardly further at 6
constexpr size_t kLeastBytes = 1024;

}  // namespace

void pack(const HttpRequest& request, HttpResponse* response) {
  if (request.accept_encoding.find("gzip") == std::string::npos) return;
  if (response->body.size() < kLeastBytes) return;
  response->body = analysis::gzip(response->body, kLevel);
  response->headers.emplace_back("Content-Encoding", "gzip");
}

}  // namespace lockstep::serve
