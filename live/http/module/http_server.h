// What liblockstep-http.so exports: MakeHttpServer of http.h.
#pragma once

#include "live/http/http.h"

extern "C" lockstep::serve::HttpServer* lockstep_http_server(
    const lockstep::serve::HttpOptions& options, lockstep::serve::HttpHandler* handler,
    std::string* error);
