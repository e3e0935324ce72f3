// The lock-free tables in the arena: losses and strings.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "plugin/record/loss_table.h"
#include "plugin/record/string_table.h"

namespace lockstep::plugin {
namespace {

struct ZeroedArena {
  std::unique_ptr<char[]> memory{new char[sizeof(ArenaHeader)]()};
  ArenaHeader* header = reinterpret_cast<ArenaHeader*>(memory.get());
};

uint64_t total(const ArenaHeader& arena, uint64_t key) {
  for (const LossEntry& entry : arena.losses) {
    if (entry.key.load() == key) return entry.count.load();
  }
  return 0;
}

uint64_t grand_total(const ArenaHeader& arena) {
  uint64_t sum = 0;
  for (const LossEntry& entry : arena.losses) sum += entry.count.load();
  return sum;
}

TEST(LossTable, CountsByCommunicatorKindCallAndReason) {
  ZeroedArena arena;
  LossTable table(arena.header->losses);

  table.add(1, 4, Call::Start, Loss::Memory, 1);
  table.add(1, 4, Call::Start, Loss::Memory, 2);
  table.add(2, 4, Call::Start, Loss::Memory, 5);
  table.add(1, 4, Call::Stop, Loss::Memory, 7);
  table.add(1, 4, Call::Start, Loss::Filtered, 11);

  EXPECT_EQ(total(*arena.header, make_loss_key(1, 4, Call::Start, Loss::Memory)), 3u);
  EXPECT_EQ(total(*arena.header, make_loss_key(2, 4, Call::Start, Loss::Memory)), 5u);
  EXPECT_EQ(total(*arena.header, make_loss_key(1, 4, Call::Stop, Loss::Memory)), 7u);
  EXPECT_EQ(total(*arena.header, make_loss_key(1, 4, Call::Start, Loss::Filtered)), 11u);
}

TEST(LossTable, LosesNoCountWhenThereAreMoreCommunicatorsThanEntries) {
  ZeroedArena arena;
  LossTable table(arena.header->losses);

  const uint32_t comms = 3 * kLossEntries;
  for (uint32_t comm = 1; comm <= comms; ++comm) table.add(comm, 1, Call::Start, Loss::Filtered, 1);

  EXPECT_EQ(grand_total(*arena.header), comms);
  EXPECT_GT(total(*arena.header, make_loss_key(kLastComm, 1, Call::Start, Loss::Filtered)), 0u);
}

TEST(LossTable, CountsExactlyFromManyThreads) {
  ZeroedArena arena;
  LossTable table(arena.header->losses);

  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&table] {
      for (uint32_t i = 0; i < 20000; ++i) table.add(i % 50, i % 16, Call::State, Loss::Folded, 1);
    });
  }
  for (auto& thread : threads) thread.join();

  EXPECT_EQ(grand_total(*arena.header), 80000u);
}

std::string text_of(const ArenaHeader& arena, uint16_t number) {
  const StringEntry& entry = arena.strings[number - kFirstString];
  return {arena.string_bytes + entry.offset, entry.length};
}

TEST(StringTable, GivesTheSameTextTheSameNumber) {
  ZeroedArena arena;
  StringTable table(arena.header);
  const std::string again = "AllReduce";

  const uint16_t number = table.intern("AllReduce");

  EXPECT_EQ(table.intern(again.c_str()), number);
  EXPECT_NE(table.intern("AllGather"), number);
  EXPECT_EQ(text_of(*arena.header, number), "AllReduce");
}

TEST(StringTable, NullHasANumberOfItsOwn) {
  ZeroedArena arena;
  StringTable table(arena.header);
  EXPECT_EQ(table.intern(nullptr), kNullString);
  EXPECT_NE(table.intern(""), kNullString);
}

TEST(StringTable, CutsALongTextAndRefusesWhatDoesNotFit) {
  ZeroedArena arena;
  StringTable table(arena.header);

  const uint16_t cut = table.intern(std::string(1000, 'x').c_str());
  EXPECT_EQ(text_of(*arena.header, cut), std::string(kMaxStringBytes, 'x'));

  for (unsigned i = 0; i < kMaxStrings; ++i) table.intern(("name " + std::to_string(i)).c_str());
  EXPECT_EQ(table.intern("one too many"), kOverflowString);
}

}  // namespace
}  // namespace lockstep::plugin
