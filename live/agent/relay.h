// The question `relay`: an agent asks a group of other agents for somebody who has too many to ask
// himself (live/asker/relay_groups.h), and hands their answers on as one. Runs on the thread of one asker's
// connection; ends with its deadline.
#pragma once

#include "live/questions/question.h"
#include "live/wire/hello.h"

namespace lockstep::live {

// Arguments and rows: live/asker/relay_groups.h. Parts come as INDEX/NAME, the host's place in the
// group first.
Result<HostAnswer> answer_relay(const LiveKey& key, const HostContext& context,
                                const Question& question, uint64_t most_bytes, PartSink* parts);

}  // namespace lockstep::live
