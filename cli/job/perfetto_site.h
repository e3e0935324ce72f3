// Perfetto's page for the page of a served run: LOCKSTEP_PERFETTO_UI has its URL, or is a folder that is served here, at
// a port of its own, for as long as this object lives.
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "live/http/http.h"
#include "lockstep/status.h"

namespace lockstep::cli {

class PerfettoSite {
 public:
  // `options`: address and TLS, as of the server that the page comes from. `names`: as of its gate.
  static Result<std::unique_ptr<PerfettoSite>> open(serve::HttpOptions options,
                                                    std::vector<std::string> names);
  ~PerfettoSite();
  PerfettoSite(const PerfettoSite&) = delete;
  PerfettoSite& operator=(const PerfettoSite&) = delete;

  // Where it is; empty: nowhere.
  std::string url() const { return url_; }

 private:
  PerfettoSite() = default;

  std::string url_;
  std::unique_ptr<serve::HttpHandler> site_;
  std::shared_ptr<serve::HttpServer> server_;
  std::thread thread_;
};

// http://address:port/, or https where there is a certificate.
std::string url_at(const serve::HttpOptions& options, uint16_t port);

}  // namespace lockstep::cli
