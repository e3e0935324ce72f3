// /api/compare of a run in a folder: what became slower since another run there, as `lockstep report --compare` says it. Any
// number of threads; reads the segments of both where nobody has asked for more than their first screens.
#pragma once

#include "live/follow/served_run.h"
#include "live/http/http.h"

namespace lockstep::serve {

HttpResponse answer_compare(const ServedRun& before, const ServedRun& after);

}  // namespace lockstep::serve
