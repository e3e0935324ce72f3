// What a chunk tells of its process's communicators, for readers that want nothing else of the
// records. Any thread.
#pragma once

#include "dumper/segment/live_comms.h"
#include "dumper/segment/segment_reader.h"

namespace lockstep::dumper {

// By COMM_* records, or by the list at a segment's beginning, which knows those that began in
// segments deleted since.
void learn_comms(const SegmentChunk& chunk, LiveComms* comms);

}  // namespace lockstep::dumper
