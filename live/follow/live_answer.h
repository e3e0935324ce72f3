// /api/live: whether the run goes on, and of when the answers are, so that a page knows when to ask again.
// Any number of threads; what is wrong with a request is an answer of status 400 with a sentence.
#pragma once

#include <string>

#include "live/follow/followed_run.h"
#include "live/http/http.h"

namespace lockstep::serve {

HttpResponse answer_live(const Reading& reading, const std::string& trouble,
                         const HttpRequest& request);

}  // namespace lockstep::serve
