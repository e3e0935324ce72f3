// The question `stacks`: what every thread of each recording process of the host does, by its stack.
// A row for each process: live/places/stack_row.h. Arguments, all of which may be left out:
// {"ranks": "0-3,7", "samples": 3, "threads": "all"|"main"|"nccl"}. Threads are stopped one at a time,
// for a fraction of a millisecond (live/native/thread_copy.h); a process that the kernel does not let
// us trace is asked for the right through its control socket. See question.h for threads and errors.
#pragma once

#include "live/places/stack_reader.h"
#include "live/places/stack_row.h"
#include "live/questions/question.h"

namespace lockstep::live {

Result<HostAnswer> answer_stacks(const HostContext& context, const Question& question,
                                 PartSink* parts);

// Of one process of this host, whether it records or not.
StackRow stacks_of(pid_t pid, const StackOptions& options);

}  // namespace lockstep::live
