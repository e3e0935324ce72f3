// Answers compressed where the client takes gzip. Any thread.
#pragma once

#include "live/http/http.h"

namespace lockstep::serve {

void pack(const HttpRequest& request, HttpResponse* response);
// The same of text and JSON; what else there is stays as it is.
void pack_text(const HttpRequest& request, HttpResponse* response);

}  // namespace lockstep::serve
