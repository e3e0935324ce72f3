// The question `node`: one row for the host. Who answers (`agent_pid`, null without an agent; its
// `version`), and, summed over its processes, what `lockstep ctl status` says of each: `processes`, how
// many of them answered, records and bytes written, calls lost, and the longest lag. No arguments.
#pragma once

#include "live/questions/question.h"

namespace lockstep::live {

Result<HostAnswer> answer_node(const HostContext& context, const Question& question,
                               PartSink* parts);

}  // namespace lockstep::live
