#include "plugin/record/mark_texts.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "plugin/record/recorder.h"

namespace lockstep::plugin {
namespace {

// One for all cases, as a process has one: the table beside it is never emptied.
const ArenaHeader& arena() {
  static const auto memory = std::make_unique<char[]>(sizeof(ArenaHeader));
  recorder.arena = reinterpret_cast<ArenaHeader*>(memory.get());
  return *recorder.arena;
}

std::string text_of(uint16_t number) {
  const StringEntry& entry = arena().strings[number - kFirstString];
  return std::string(arena().string_bytes + entry.offset, entry.length);
}

TEST(MarkTexts, AreWhatTheBufferSaidEachTime) {
  arena();
  char buffer[16] = "forward";
  const uint16_t forward = intern_mark_text(buffer);
  std::strcpy(buffer, "backward");
  const uint16_t backward = intern_mark_text(buffer);
  EXPECT_NE(forward, backward);
  EXPECT_EQ(text_of(forward), "forward");
  EXPECT_EQ(text_of(backward), "backward");
  EXPECT_EQ(intern_mark_text("forward"), forward);
  EXPECT_EQ(intern_mark_text(nullptr), kNullString);
}

TEST(MarkTexts, AreCutBetweenCharacters) {
  arena();
  const std::string long_text = std::string(254, 'x') + "\xc3\xa9\xc3\xa9";
  EXPECT_EQ(text_of(intern_mark_text(long_text.c_str())), std::string(254, 'x'));
  EXPECT_EQ(text_of(intern_mark_text(std::string(300, 'y').c_str())), std::string(255, 'y'));
}

void fill_the_table() {
  arena();
  const uint16_t known = intern_mark_text("known");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 2000; ++i)
        intern_mark_text((std::to_string(t) + "/" + std::to_string(i)).c_str());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(intern_mark_text("one more"), kOverflowString);
  EXPECT_EQ(intern_mark_text("known"), known);
  const uint64_t used = arena().strings_used.load();
  EXPECT_GE(used >> 32, 3072u);
  EXPECT_LE(used >> 32, 3072u + 4);  // a thread each may have passed the limit at once
}

// In a process of its own: the other cases need room, whichever comes first.
TEST(MarkTexts, LeaveRoomForTheNamesOfNcclAndKeepTheirOwnWhenTheyAreTooMany) {
  EXPECT_EXIT(
      {
        fill_the_table();
        _exit(::testing::Test::HasFailure() ? 1 : 0);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace lockstep::plugin
