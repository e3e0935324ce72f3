#include "dumper/run/known_comms.h"

#include "lockstep/record_shape.h"

namespace lockstep::dumper {

void learn_comms(const SegmentChunk& chunk, LiveComms* comms) {
  // A list that cannot be read costs names only.
  if (chunk.type == ChunkType::Comms) static_cast<void>(comms->merge_json(chunk.text));
  if (chunk.type != ChunkType::Records) return;
  const uint64_t* at = chunk.records.words.data();
  const uint64_t* const end = at + chunk.records.words.size();
  for (; at != end; at += kRecordShapes[tag_of(*at)].words) {
    if (tag_of(*at) >= kCommInitTag) comms->apply(at, chunk.records.strings);
  }
}

}  // namespace lockstep::dumper
