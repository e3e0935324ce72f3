#include "dumper/run/read_places.h"

#include <algorithm>

#include "dumper/run/known_comms.h"

namespace lockstep::dumper {
namespace {

constexpr size_t kChunksPerMark = 8;  // some 8 s of a recording: 40 bytes for each

bool is_after(ChunkPlace a, ChunkPlace b) {
  return a.segment != b.segment ? a.segment > b.segment : a.offset > b.offset;
}

ChunkPlace end_of(const SegmentChunk& chunk, size_t segment) {
  return {segment, chunk.offset + sizeof(ChunkHeader) + chunk.header.stored_bytes};
}

bool tells_comms(const SegmentChunk& chunk) {
  return chunk.type == ChunkType::Comms ||
         (chunk.type == ChunkType::Records && chunk.records.has_comms);
}

}  // namespace

void ProcessPlaces::begin(ChunkPlace start) { learns_ = !is_after(start, learned_); }

void ProcessPlaces::passed(const SegmentChunk& chunk, size_t segment, bool written_in_order) {
  const ChunkPlace end = end_of(chunk, segment);
  if (!learns_ || !is_after(end, learned_)) return;
  learned_ = end;
  if (tells_comms(chunk)) {
    learn_comms(chunk, &latest_);
    known_.push_back({end, latest_});
  }
  if (chunk.type != ChunkType::Records || !written_in_order) return;
  const auto& anchors = chunk.records.clock.anchors();
  if (anchors.empty() || ++since_mark_ < kChunksPerMark) return;
  since_mark_ = 0;
  marks_.push_back({anchors.back().raw_ns, end});
}

void ProcessPlaces::left_out(const SegmentChunk& chunk, size_t segment) {
  learns_ = learns_ && !is_after(end_of(chunk, segment), learned_);
}

std::optional<ChunkPlace> ProcessPlaces::place_of(uint64_t from_raw_ns) const {
  const auto after = std::partition_point(
      marks_.begin(), marks_.end(), [&](const Mark& mark) { return mark.last_ns < from_raw_ns; });
  if (after == marks_.begin()) return std::nullopt;
  return std::prev(after)->place;
}

const LiveComms* ProcessPlaces::comms_at(ChunkPlace start) const {
  if (is_after(start, learned_)) return nullptr;
  const auto after = std::partition_point(known_.begin(), known_.end(), [&](const Known& known) {
    return !is_after(known.from, start);
  });
  return after == known_.begin() ? nullptr : &std::prev(after)->comms;
}

}  // namespace lockstep::dumper
