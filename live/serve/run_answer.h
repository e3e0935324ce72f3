// /api/run: the report's JSON, and the object `serve` that tells the page what there is to ask for. Any number of threads; what is wrong with
// a request is an answer of status 400, what is too large 413, with a sentence.
#pragma once

#include "live/follow/followed_run.h"
#include "live/http/http.h"

namespace lockstep::serve {

HttpResponse answer_run(const Reading& reading, const HttpRequest& request);

}  // namespace lockstep::serve
