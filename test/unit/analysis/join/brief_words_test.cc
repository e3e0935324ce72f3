// Where brief operations are wanted, words that are left out change nothing.
#include "analysis/join/brief_words.h"

#include <gtest/gtest.h>

#include <random>
#include <tuple>

#include "analysis/join/operations.h"

namespace lockstep::analysis {
namespace {

constexpr uint32_t kPid = 10;

// Records of few events of each kind, so that they find each other; all else in them is any number.
std::vector<uint64_t> records_of_few_events(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto event = [&](unsigned kind) {
    return make_event_id(static_cast<Kind>(kind), 1 + random() % 2, 1 + random() % 12);
  };
  std::vector<uint64_t> words;
  uint64_t ticks = 1'000'000;
  for (unsigned i = 0; i < 4'000; ++i) {
    const auto tag = static_cast<Tag>(random() % kTags);
    const RecordShape& shape = kRecordShapes[tag];
    if (shape.words == 0) continue;
    ticks += random() % 5'000;
    const size_t at = words.size();
    words.push_back(make_word0(tag, ticks));
    for (unsigned word = 1; word < shape.words; ++word) words.push_back(random() >> random() % 64);
    if (is_comm(tag)) {
      words[at + 1] = 1 + random() % 2;
    } else if (!is_mark(tag)) {
      words[at + 1] = event(is_start(tag)       ? tag
                            : is_stop(tag)      ? tag - kStopTag
                            : random() % 2 == 0 ? static_cast<unsigned>(Kind::KernelCh)
                                                : static_cast<unsigned>(random() % kKinds));
    }
    if (tag == state_tag(kKernelChStop)) words[at + 2] = ticks + 500;  // the GPU's clock
    if (!is_start(tag)) continue;
    const Kind usual = static_cast<Kind>(tag) == Kind::Coll ? Kind::CollApi : Kind::Coll;
    words[at + 2] = event(random() % 2 == 0 ? static_cast<unsigned>(usual)
                                            : static_cast<unsigned>(random() % kKinds));
    if (static_cast<Kind>(tag) == Kind::KernelCh) words[at + 4] = ticks - 1'000;
    if (static_cast<Kind>(tag) == Kind::ProxyOp && random() % 4 != 0)  // its own
      words[at + 3] = (words[at + 3] & 0xffffffffu) | uint64_t{kPid} << 32;
    if (random() % 2 == 0) words[at + 3] &= ~uint64_t{0xffffffff};  // rank 0
  }
  return words;
}

std::vector<uint64_t> without_unwanted(std::vector<uint64_t> words) {
  for (size_t at = 0; at < words.size();) {
    const Tag tag = tag_of(words[at]);
    for (unsigned word = 1; word < kRecordShapes[tag].words; ++word)
      if ((kBriefWords[tag] >> word & 1) == 0) words[at + word] = 0;
    at += kRecordShapes[tag].words;
  }
  return words;
}

// The same records as a reader of only some words has them.
dumper::DecodedChunk by_tag(const std::vector<uint64_t>& words) {
  dumper::DecodedChunk chunk;
  for (size_t at = 0; at < words.size(); at += kRecordShapes[tag_of(words[at])].words) {
    chunk.tags.push_back(tag_of(words[at]));
    chunk.ticks.push_back(ticks_of(words[at]));
  }
  for (unsigned tag = 0; tag < kTags; ++tag) {
    chunk.first_of_tag[tag] = static_cast<uint32_t>(chunk.words.size());
    for (size_t at = 0; at < words.size(); at += kRecordShapes[tag_of(words[at])].words) {
      const uint64_t* const w = words.data() + at;
      if (tag_of(*w) == tag) chunk.words.insert(chunk.words.end(), w, w + kRecordShapes[tag].words);
    }
  }
  dumper::DecodedPiece piece;
  piece.tid = 1;
  piece.records = static_cast<uint32_t>(chunk.tags.size());
  chunk.pieces.push_back(piece);
  return chunk;
}

template <typename Add>
ProcessOperations joined(OperationJoin join, const Add& add) {
  StringPool strings;
  std::vector<Text> texts;
  for (const char* text : {"", "", "AllReduce", "Send", "Recv", "ncclFloat32"})
    texts.push_back(strings.intern(text));
  join.count_only(2'000'000, 8'000'000, 2'000'000);
  add(&join, texts);
  return join.finish(strings, clocksync::GpuPrecision::Rough);
}

ProcessOperations join_all(const std::vector<uint64_t>& words) {
  return joined(OperationJoin(kPid), [&](OperationJoin* join, const std::vector<Text>& texts) {
    join->add(1, words.data(), words.size(), dumper::ChunkClock(), texts);
  });
}

ProcessOperations join_briefly(const std::vector<uint64_t>& words, JoinMemory* memory) {
  return joined(OperationJoin(kPid, memory),
                [&](OperationJoin* join, const std::vector<Text>& texts) {
                  join->add(1, words.data(), words.size(), dumper::ChunkClock(), texts);
                });
}

ProcessOperations join_by_tag(const std::vector<uint64_t>& words, JoinMemory* memory) {
  return joined(OperationJoin(kPid, memory),
                [&](OperationJoin* join, const std::vector<Text>& texts) {
                  join->add_by_tag(by_tag(words), texts);
                });
}

auto all_of(const BriefOperation& row) {
  return std::make_tuple(row.event_id, row.group_id, row.api_start_ns, row.api_stop_ns,
                         row.enqueue_ns, row.kernel_start_ns, row.kernel_stop_ns,
                         row.kernel_seen_ns, row.last_progress_ns, row.finish_ns, row.communicator,
                         row.ordinal, row.replay, row.rank, row.peer, row.func, row.kind, row.state,
                         row.flags);
}

void expect_same(const ProcessOperations& one, const ProcessOperations& other) {
  ASSERT_EQ(one.foreign.size(), other.foreign.size());
  for (size_t i = 0; i < one.foreign.size(); ++i) {
    const ProxyWork &a = one.foreign[i], &b = other.foreign[i];
    ASSERT_EQ(std::tie(a.parent, a.pid, a.rank, a.stop_ns, a.last_ns),
              std::tie(b.parent, b.pid, b.rank, b.stop_ns, b.last_ns));
  }
  EXPECT_EQ(one.orphans, other.orphans);
  EXPECT_EQ(one.cut_off, other.cut_off);
  EXPECT_EQ(one.first_ns, other.first_ns);
  EXPECT_EQ(one.last_ns, other.last_ns);
  EXPECT_EQ(one.records, other.records);
  ASSERT_EQ(one.comms.size(), other.comms.size());
  for (size_t i = 0; i < one.comms.size(); ++i)
    EXPECT_EQ(one.comms[i].comm_id, other.comms[i].comm_id);
}

TEST(BriefWords, TellAllThatBriefOperationsAreMadeOf) {
  JoinMemory memory;
  size_t ended = 0, foreign = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const std::vector<uint64_t> words = records_of_few_events(seed);
    const ProcessOperations all = join_briefly(words, &memory),
                            few = join_briefly(without_unwanted(words), &memory);
    ASSERT_EQ(all.brief.size(), few.brief.size());
    for (size_t i = 0; i < all.brief.size(); ++i) {
      ASSERT_EQ(all_of(all.brief[i]), all_of(few.brief[i])) << seed << " " << i;
      ended += all.brief[i].kernel_stop_ns != kNoTime;
    }
    expect_same(all, few);
    foreign += all.foreign.size();
  }
  EXPECT_GT(ended, 20u);
  EXPECT_GT(foreign, 100u);
}

// Though they are joined with rows of their own.
TEST(BriefOperations, AreWhatTheWholeRowsSay) {
  JoinMemory memory;
  size_t ended = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const std::vector<uint64_t> words = records_of_few_events(seed);
    const ProcessOperations whole = join_all(words), brief = join_briefly(words, &memory);
    ASSERT_EQ(whole.rows.size(), brief.brief.size());
    EXPECT_TRUE(brief.rows.empty());
    for (size_t i = 0; i < whole.rows.size(); ++i) {
      ASSERT_EQ(all_of(whole.rows[i]), all_of(brief.brief[i])) << seed << " " << i;
      ended += whole.rows[i].kernel_stop_ns != kNoTime;
    }
    expect_same(whole, brief);
  }
  EXPECT_GT(ended, 20u);
}

TEST(BriefOperations, AreTheSameOfRecordsThatLieTagByTag) {
  JoinMemory memory;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const std::vector<uint64_t> words = records_of_few_events(seed);
    const ProcessOperations written = join_briefly(words, &memory),
                            tagged = join_by_tag(words, &memory);
    ASSERT_EQ(written.brief.size(), tagged.brief.size());
    for (size_t i = 0; i < written.brief.size(); ++i)
      ASSERT_EQ(all_of(written.brief[i]), all_of(tagged.brief[i])) << seed << " " << i;
    expect_same(written, tagged);
  }
}

}  // namespace
}  // namespace lockstep::analysis
