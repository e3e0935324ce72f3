#include "cli/job/perfetto_site.h"

#include <cstdlib>

#include "base/text.h"
#include "live/http/http_library.h"
#include "live/http/site.h"

namespace lockstep::cli {

std::string url_at(const serve::HttpOptions& options, uint16_t port) {
  const bool is_v6 = options.address.find(':') != std::string::npos;
  return (options.certificate.empty() ? "http://" : "https://") +
         (is_v6 ? "[" + options.address + "]" : options.address) + ":" + std::to_string(port) + "/";
}

Result<std::unique_ptr<PerfettoSite>> PerfettoSite::open(serve::HttpOptions options,
                                                         std::vector<std::string> names) {
  std::unique_ptr<PerfettoSite> perfetto(new PerfettoSite);
  const char* said = std::getenv("LOCKSTEP_PERFETTO_UI");
  const std::string where = said == nullptr ? "" : said;
  if (where.empty()) return perfetto;
  if (starts_with(where, "http://") || starts_with(where, "https://")) {
    perfetto->url_ = where;
    return perfetto;
  }
  auto site = serve::Site::of(where, serve::Gate({}, std::move(names)));
  if (!site.ok()) return Status::error("LOCKSTEP_PERFETTO_UI: " + site.message());
  perfetto->site_ = std::move(site.value());
  options.port = 0;
  auto server = serve::make_http_server(options, perfetto->site_.get());
  if (!server.ok()) return server.status();
  perfetto->server_ = std::move(server.value());
  perfetto->url_ = url_at(options, perfetto->server_->port());
  perfetto->thread_ = std::thread([server = perfetto->server_] { server->serve(); });
  return perfetto;
}

PerfettoSite::~PerfettoSite() {
  if (server_ == nullptr) return;
  server_->stop();
  thread_.join();
}

}  // namespace lockstep::cli
