// Answers that are not text, compressed where the client takes gzip; the library does it for text. Any
// thread.
#pragma once

#include "live/http/http.h"

namespace lockstep::serve {

void pack(const HttpRequest& request, HttpResponse* response);

}  // namespace lockstep::serve
