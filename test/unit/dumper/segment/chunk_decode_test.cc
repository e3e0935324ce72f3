// Chunks as they were written before all of a round had the anchors of its records.
#include "test/unit/dumper/segment/samples.h"

namespace lockstep::dumper {
namespace {

constexpr uint64_t kSecondTicks = 1'000'000'000;  // a tick is a nanosecond, and tick 0 nanosecond 0

EncodedChunk with_anchors(const std::vector<uint64_t>& words, const std::vector<Anchor>& anchors) {
  ChunkEncoder encoder;
  encoder.add(piece_of(words, 1, 1));
  const NumberedStrings strings;
  ChunkContext context;
  context.anchors = anchors.data();
  context.anchor_count = anchors.size();
  context.strings = &strings;
  EncodedChunk chunk;
  EXPECT_TRUE(encoder.finish(context, &chunk).ok());
  return chunk;
}

std::vector<uint64_t> a_stop(uint64_t ticks) {
  return {make_word0(stop_tag(Kind::Coll), ticks), make_event_id(Kind::Coll, 1, 1)};
}

Anchor anchor(uint64_t ticks, uint64_t raw_ns) { return {ticks, raw_ns, raw_ns, raw_ns}; }

TEST(OldRounds, RecordsBeforeAllAnchorsOfAChunkHaveThoseOfTheChunkBefore) {
  const EncodedChunk first = with_anchors(
      a_stop(kSecondTicks), {anchor(0, 0), anchor(2 * kSecondTicks, 2 * kSecondTicks)});
  // Its own reading of the clock errs by 50 ns, 0.4 ms after the last one.
  const EncodedChunk second = with_anchors(
      a_stop(kSecondTicks), {anchor(2 * kSecondTicks, 2 * kSecondTicks),
                             anchor(2 * kSecondTicks + 400'000, 2 * kSecondTicks + 400'050)});
  ChunkDecoder decoder;
  DecodedChunk chunk;
  for (const EncodedChunk* encoded : {&first, &second}) {
    ChunkHeader header;
    std::memcpy(&header, encoded->bytes.data(), sizeof header);
    ASSERT_TRUE(decoder.decode_records(header, encoded->bytes.data() + sizeof header, &chunk).ok());
    EXPECT_EQ(chunk.clock.raw_ns(kSecondTicks), kSecondTicks);
  }
  EXPECT_EQ(chunk.borrowed_anchors, 1u);
}

}  // namespace
}  // namespace lockstep::dumper
