// The question `ctl`: passes the words of `lockstep ctl` on to each process of the host. Arguments:
// {"request": "events step", "only": {"n1": [4711]}}; without `only`, which names processes by host, all of
// the host's processes are asked. A row for each process: host, pid and `answer`, what the process said,
// which is an object with `error` where it refused. See question.h for threads and errors.
#pragma once

#include "live/local/control_client.h"
#include "live/questions/question.h"

namespace lockstep::live {

Result<HostAnswer> answer_ctl(const HostContext& context, const Question& question,
                              PartSink* parts);

// What a process's control socket says to a request that names its asker; one of an earlier lockstep
// knows no askers and is asked without.
Result<std::string> ask_for(const std::string& asker, const ControlledProcess& process,
                            const std::string& request, int64_t deadline_ns);
// All at once; an answer or an error each, in the same order.
std::vector<Result<std::string>> ask_processes_for(const std::string& asker,
                                                   const std::vector<ControlledProcess>& processes,
                                                   const std::string& request, int64_t deadline_ns);

// The sentence about a process that was asked to flush and did not.
std::string not_flushed(uint32_t pid, const std::string& why);

}  // namespace lockstep::live
