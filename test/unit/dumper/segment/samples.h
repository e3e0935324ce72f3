// What the dumper's tests share: streams of records, pieces cut from them.
// Header only, because every test of this folder is one program.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "dumper/segment/chunk_decode.h"
#include "dumper/segment/chunk_encode.h"
#include "dumper/segment/segment_writer.h"
#include "lockstep/record_shape.h"
#include "test/unit/temp_dir.h"

namespace lockstep::dumper {

struct NumberedStrings : StringSource {
  std::string_view text(unsigned number) const override {
    last = "text " + std::to_string(number);
    return last;
  }
  mutable std::string last;
};

inline std::vector<Tag> all_tags() {
  std::vector<Tag> tags;
  for (unsigned tag = 0; tag < kTags; ++tag) {
    if (kRecordShapes[tag].words != 0) tags.push_back(static_cast<Tag>(tag));
  }
  return tags;
}

// One record of a tag with words of any value, but with an id that names the tag's kind and one of
// a few communicators.
inline void add_random_record(Tag tag, uint64_t ticks, std::mt19937_64* random,
                              std::vector<uint64_t>* words) {
  words->push_back(make_word0(tag, ticks));
  const RecordShape& shape = kRecordShapes[tag];
  for (unsigned i = 1; i < shape.words; ++i) words->push_back((*random)() >> ((*random)() % 64));
  uint64_t& id = (*words)[words->size() - shape.words + 1];
  if (is_mark(tag)) return;
  if (is_comm(tag)) {
    id = (*random)() % 4;
    return;
  }
  const auto kind = static_cast<Kind>(is_start(tag)  ? tag
                                      : is_stop(tag) ? tag - kStopTag
                                                     : (*random)() % kKinds);
  id = make_event_id(kind, static_cast<uint32_t>((*random)() % 5), (*random)() % 100'000);
}

inline std::vector<uint64_t> random_records(unsigned count, uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::vector<Tag> tags = all_tags();
  std::vector<uint64_t> words;
  uint64_t ticks = random() % 1'000'000;
  for (unsigned i = 0; i < count; ++i) {
    ticks += random() % 8 == 0 ? random() >> 28 : random() % 2'000;
    add_random_record(tags[random() % tags.size()], ticks & ((uint64_t{1} << kTickBits) - 1),
                      &random, &words);
  }
  return words;
}

inline Piece piece_of(const std::vector<uint64_t>& words, uint32_t tid, uint64_t sequence) {
  Piece piece;
  piece.words = words.data();
  piece.bytes = static_cast<uint32_t>(words.size() * sizeof(uint64_t));
  piece.tid = tid;
  std::strcpy(piece.thread_name, "worker");
  piece.block_sequence = sequence;
  return piece;
}

constexpr Anchor kSampleAnchors[] = {{0, 5'000, 1'000'000'005'000, 5'000},
                                     {1'000'000, 505'000, 1'000'000'505'000, 505'000}};

inline EncodedChunk encode(const std::vector<Piece>& pieces) {
  ChunkEncoder encoder;
  for (const Piece& piece : pieces) encoder.add(piece);
  NumberedStrings strings;
  ChunkContext context;
  context.anchors = kSampleAnchors;
  context.anchor_count = 2;
  context.strings = &strings;
  EncodedChunk chunk;
  EXPECT_TRUE(encoder.finish(context, &chunk).ok());
  return chunk;
}

inline Status decode(const EncodedChunk& chunk, DecodedChunk* out) {
  ChunkHeader header;
  std::memcpy(&header, chunk.bytes.data(), sizeof header);
  return ChunkDecoder().decode_records(header, chunk.bytes.data() + sizeof header, out);
}

inline SegmentWriterOptions sample_options(const std::string& directory) {
  SegmentWriterOptions options;
  options.directory = directory;
  options.host = "host.example";
  options.pid = 4711;
  options.process_uid = 0xabc;
  return options;
}

}  // namespace lockstep::dumper
