// /api/tiles: what ranks did in columns of time (analysis/pyramid/tiles.h). Any number of threads; what is wrong with
// a request is an answer of status 400, what is too large 413, with a sentence.
#pragma once

#include "live/follow/served_run.h"
#include "live/http/http.h"

namespace lockstep::serve {

HttpResponse answer_tiles(const ServedRun& run, const HttpRequest& request);

}  // namespace lockstep::serve
