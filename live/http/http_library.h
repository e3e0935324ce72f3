// liblockstep-http.so, looked for beside the command and in ../lib, loaded once. Main thread.
#pragma once

#include "live/http/http.h"
#include "lockstep/status.h"

namespace lockstep::serve {

// `handler` must outlive the server. The error says what is missing and how to get it, or why it cannot
// listen there.
Result<std::shared_ptr<HttpServer>> make_http_server(const HttpOptions& options,
                                                     HttpHandler* handler);

}  // namespace lockstep::serve
