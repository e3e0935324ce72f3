// /api/steps: what the network did for operations of a few ranks in a short time: network operations and their
// steps. Any number of threads; what is wrong with a request is an answer of status 400, what is too large 413, with a
// sentence.
#pragma once

#include "live/follow/served_run.h"
#include "live/http/http.h"

namespace lockstep::serve {

constexpr size_t kMostStepsRanks = 16, kMostSteps = 20'000;
constexpr int64_t kMostStepsNs = 10'000'000'000;  // of time at once

HttpResponse answer_steps(const ServedRun& run, const HttpRequest& request);

}  // namespace lockstep::serve
