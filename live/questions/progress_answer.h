// The question `progress`: how far each communicator of each process of the host has come. A row for
// each: host, pid and run_directory of its process, what its control socket says of the communicator
// (docs/control.md), and `known_until_age_ns`. A process that does not answer is in `failed`. No
// arguments. See question.h for threads and errors.
#pragma once

#include "live/questions/question.h"

namespace lockstep::live {

Result<HostAnswer> answer_progress(const HostContext& context, const Question& question,
                                   PartSink* parts);

}  // namespace lockstep::live
