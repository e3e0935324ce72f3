// The question `ps`: what each recording process of the host is and does. A row for each: what its
// memory file and /proc tell (host, pid, run_directory, program, state, rank) and all that its
// control socket says to `status` and `progress` (docs/control.md). A process that does not answer has
// the first part alone, `answered` false, and a sentence in `failed`. No arguments.
#pragma once

#include "live/questions/question.h"

namespace lockstep::live {

Result<HostAnswer> answer_ps(const HostContext& context, const Question& question, PartSink* parts);

}  // namespace lockstep::live
