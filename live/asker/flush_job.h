// Tells all processes of a job to write down what they have in memory: what is asked of its files then
// holds all that was recorded before. `failed` of the answers has the hosts that did not answer, and
// the processes that could not write, as on a full disk.
#pragma once

#include "live/asker/ask_all.h"

namespace lockstep::live {

Answers flush_job(const Targets& targets, const AskTerms& terms);

}  // namespace lockstep::live
