// The questions that move what this host's processes recorded to where it is to stay, file by file, for
// `lockstep collect --agents` (recording_file.h has their arguments and rows):
//
//   recordings       recovers what killed processes left; a row for each file, with its name and size.
//                    While a process still records there, and where the agent serves several runs that
//                    this host recorded, an error.
//   recording        one file, from the byte named on, as parts; its row has the checksum of all of it
//   recording_taken  removes that file, if it still is what the asker says that it has
//
// See question.h for threads and errors.
#pragma once

#include "live/questions/question.h"

namespace lockstep::live {

Result<HostAnswer> answer_recordings(const HostContext& context, const Question& question,
                                     PartSink* parts);
Result<HostAnswer> answer_recording(const HostContext& context, const Question& question,
                                    PartSink* parts);
Result<HostAnswer> answer_recording_taken(const HostContext& context, const Question& question,
                                          PartSink* parts);

}  // namespace lockstep::live
