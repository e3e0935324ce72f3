// The question `slice`: a part of what the host's processes recorded, as files of a small run directory
// (dumper/run/slice.h): each process's chunks that intersect the span asked for, the clock records and
// the samples of the host. The processes are flushed first. Arguments and rows: slice_request.h. A part
// that is larger than allowed is not sent; the error has the numbers. See question.h for threads and
// errors.
#pragma once

#include "live/questions/question.h"

namespace lockstep::live {

Result<HostAnswer> answer_slice(const HostContext& context, const Question& question,
                                PartSink* parts);

}  // namespace lockstep::live
