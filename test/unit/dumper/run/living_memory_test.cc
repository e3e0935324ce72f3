// What processes that still run have recorded and not written yet.
#include "dumper/run/living_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "test/unit/dumper/recovery/handmade_arena.h"
#include "test/unit/temp_dir.h"

namespace lockstep::dumper {
namespace {

// The memory file of this process, as if it recorded.
class Living : public testing::Test {
 protected:
  Living() : arena_(directory_.path()) {
    arena_.header()->pid = static_cast<uint32_t>(::getpid());
    arena_.header()->process_start = process_start_time(arena_.header()->pid);
  }
  std::vector<std::unique_ptr<LivingMemory>> read() {
    arena_.write();
    return read_living(directory_.path());
  }

  const TempDir directory_;
  HandmadeArena arena_;
};

std::vector<uint64_t> words_of(const std::vector<DecodedChunk>& chunks) {
  std::vector<uint64_t> words;
  for (const DecodedChunk& chunk : chunks)
    words.insert(words.end(), chunk.words.begin(), chunk.words.end());
  return words;
}

TEST_F(Living, HoldsWhatIsInNoSegment) {
  const std::vector<uint64_t> first = random_records(200, 1), second = random_records(100, 2);
  arena_.add_block(1, first, 0);
  arena_.add_block(2, second, 1);
  const auto living = read();
  ASSERT_EQ(living.size(), 1u);
  EXPECT_EQ(living[0]->process_uid(), 0xabcu);

  std::vector<uint64_t> all = first;
  all.insert(all.end(), second.begin(), second.end());
  EXPECT_EQ(words_of(living[0]->unwritten({})), all);
  const auto bytes = [](const std::vector<uint64_t>& words) {
    return static_cast<uint32_t>(words.size() * sizeof(uint64_t));
  };
  EXPECT_EQ(words_of(living[0]->unwritten({{1, bytes(first)}})), second);
  EXPECT_TRUE(living[0]->unwritten({{1, bytes(first)}, {2, bytes(second)}}).empty());
}

TEST_F(Living, GoesOnInABlockWhereTheSegmentsEnd) {
  const std::vector<uint64_t> words = random_records(200, 1);
  size_t told = 0;
  for (int i = 0; i < 50; ++i) told += kRecordShapes[tag_of(words[told])].words;
  arena_.add_block(7, words, 0);
  const auto living = read();
  ASSERT_EQ(living.size(), 1u);
  const auto chunks = living[0]->unwritten({{7, static_cast<uint32_t>(told * sizeof(uint64_t))}});
  ASSERT_EQ(chunks.size(), 1u);
  EXPECT_EQ(chunks[0].pieces.at(0).records, 150u);
  EXPECT_EQ(words_of(chunks),
            std::vector<uint64_t>(words.begin() + static_cast<ptrdiff_t>(told), words.end()));
}

TEST_F(Living, NamesAProcessThatHasNoSegmentYet) {
  arena_.add_block(1, random_records(10, 1), 0);
  const auto living = read();
  ASSERT_EQ(living.size(), 1u);
  const ProcessEntry entry = living[0]->entry();
  EXPECT_EQ(entry.host, this_host());
  EXPECT_EQ(entry.pid, static_cast<uint32_t>(::getpid()));
  EXPECT_EQ(entry.facts.boot_id, this_boot_id());
  EXPECT_TRUE(entry.segments.empty());
}

TEST_F(Living, KnowsTheDriverThatWasLookedUpAfterTheOtherFacts) {
  ArenaHeader& header = *arena_.header();
  const std::string facts = "{\"host\":\"node7\"}", driver = "580.65.06";
  std::memcpy(header.facts, facts.data(), facts.size());
  header.facts_bytes = static_cast<uint32_t>(facts.size());
  arena_.add_block(1, random_records(10, 1), 0);
  EXPECT_EQ(read().at(0)->entry().facts.driver_version, "");
  std::memcpy(header.driver_version, driver.data(), driver.size());
  header.driver_version_bytes = static_cast<uint32_t>(driver.size());
  EXPECT_EQ(read().at(0)->entry().facts.driver_version, driver);
}

TEST_F(Living, IsNothingOfAProcessThatIsGone) {
  arena_.header()->pid = kDeadPid;
  arena_.add_block(1, random_records(10, 1), 0);
  EXPECT_TRUE(read().empty());
}

TEST_F(Living, IsReadWithoutTouchingIt) {
  arena_.add_block(1, random_records(10, 1), 0);
  ASSERT_EQ(read().size(), 1u);
  EXPECT_EQ(::access(arena_.path().c_str(), F_OK), 0);
  EXPECT_EQ(read_living(directory_.path()).size(), 1u);
}

}  // namespace
}  // namespace lockstep::dumper
