// /api/trace: a part of the run as a trace for Perfetto. Any number of threads; what is wrong with
// a request is an answer of status 400, what is too large 413, with a sentence.
#pragma once

#include "live/follow/served_run.h"
#include "live/http/http.h"

namespace lockstep::serve {

constexpr uint64_t kMostTraceBytes = 64 << 20;

HttpResponse answer_trace(const ServedRun& run, const HttpRequest& request);

}  // namespace lockstep::serve
