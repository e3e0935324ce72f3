// A folder of files as a web site: Perfetto's page, which wants an origin of its own. The files are those that are there
// when it begins; a request's path is looked up among their names and never becomes one. No token: it is for what
// everybody may read. Any number of threads at once.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "live/http/gate.h"
#include "live/http/http.h"
#include "lockstep/status.h"

namespace lockstep::serve {

class Site : public HttpHandler {
 public:
  // Refuses a folder without index.html, and one with far more files than a site has.
  static Result<std::unique_ptr<Site>> of(const std::string& folder, Gate gate);

  bool refuse(const HttpRequest& request, HttpResponse* response) override;
  void answer(const HttpRequest& request, HttpResponse* response) override;

 private:
  explicit Site(Gate gate) : gate_(std::move(gate)) {}

  const Gate gate_;
  std::map<std::string, std::string> files_;  // by the path that is asked for
};

}  // namespace lockstep::serve
