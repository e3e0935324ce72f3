// What a chunk tells of its process's communicators, for readers that want nothing else of the
// records. Any thread.
#pragma once

#include "dumper/segment/live_comms.h"
#include "dumper/segment/segment_reader.h"
#include "lockstep/record_shape.h"

namespace lockstep::dumper {

// By COMM_* records, or by the list at a segment's beginning, which knows those that began in
// segments deleted since.
inline void learn_comms(const SegmentChunk& chunk, LiveComms* comms) {
  // A list that cannot be read costs names only.
  if (chunk.type == ChunkType::Comms) static_cast<void>(comms->merge_json(chunk.text));
  if (chunk.type != ChunkType::Records || !chunk.records.has_comms) return;
  const uint64_t* at = chunk.records.words.data();
  const uint64_t* const end = at + chunk.records.words.size();
  for (; at != end; at += kRecordShapes[tag_of(*at)].words) {
    if (is_comm(tag_of(*at))) comms->apply(at, chunk.records.strings);
  }
}

}  // namespace lockstep::dumper
