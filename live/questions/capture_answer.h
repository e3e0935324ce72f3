// The questions `capture` and `capture_status`: pass the words of docs/control.md, "Captures", on to
// processes of the host. Arguments: {"requests": [{"request": "arm ID kinds=step by=..", "only": {"n1":
// [4711], "n2": []}}]}. A process gets the first request that is for it: one without `only`, or one that
// names it, or with an empty list its host; others are not asked. `request` is what follows the word
// `capture`; `capture_status` takes `status ID` alone and changes nothing.
//
// A row for each process that was asked: host, pid, `real_offset_ns` (CLOCK_REALTIME less
// CLOCK_MONOTONIC_RAW of the host when it was asked), and `answer`, what the process said, or `reason`, a
// sentence on why it said nothing. A process that has ended has no row. See question.h for threads and
// errors.
#pragma once

#include "live/questions/question.h"

namespace lockstep::live {

Result<HostAnswer> answer_capture(const HostContext& context, const Question& question,
                                  PartSink* parts);
Result<HostAnswer> answer_capture_status(const HostContext& context, const Question& question,
                                         PartSink* parts);

}  // namespace lockstep::live
