// /api/ops: the operations of a few ranks, one by one. Any number of threads; what is wrong with
// a request is an answer of status 400, what is too large 413, with a sentence.
#pragma once

#include "live/follow/served_run.h"
#include "live/http/http.h"

namespace lockstep::serve {

constexpr size_t kMostOpsRanks = 16, kMostOps = 50'000;

HttpResponse answer_ops(const ServedRun& run, const HttpRequest& request);

}  // namespace lockstep::serve
