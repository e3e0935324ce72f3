#include "live/stacks/python_lines.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace lockstep::live {
namespace {

std::string table(std::initializer_list<int> bytes) {
  std::string text;
  for (const int byte : bytes) text.push_back(static_cast<char>(byte));
  return text;
}

// The example of Objects/lnotab_notes.txt at v3.9.18: instructions 0, 6, 50, 350, 361 begin the lines 1, 2, 7, 207,
// 208.
TEST(PythonLines, FollowsTheDeltasOf39) {
  const std::string lines = table({0, 1, 6, 1, 44, 5, 255, 0, 45, 127, 0, 73, 11, 1});
  const auto line = [&](int64_t at) { return line_of(LineTable::Deltas, lines, 0, at); };
  EXPECT_EQ(line(0), 1);
  EXPECT_EQ(line(5), 1);
  EXPECT_EQ(line(6), 2);
  EXPECT_EQ(line(49), 2);
  EXPECT_EQ(line(50), 7);
  EXPECT_EQ(line(349), 7);
  EXPECT_EQ(line(350), 207);
  EXPECT_EQ(line(361), 208);
}

TEST(PythonLines, GoesBackWhereALoopDoes) {
  EXPECT_EQ(line_of(LineTable::Deltas, table({0, 1, 2, 1, 2, -1}), 10, 4), 11);
}

// A range is its length and its line's distance from the one before; -128 has no line.
TEST(PythonLines, FollowsTheRangesOf310) {
  const std::string lines = table({4, 1, 2, -128, 6, 2, 254, 0, 2, -3});
  const auto line = [&](int64_t at) { return line_of(LineTable::Ranges, lines, 10, at); };
  EXPECT_EQ(line(0), 11);
  EXPECT_EQ(line(3), 11);
  EXPECT_EQ(line(4), 0);
  EXPECT_EQ(line(6), 13);
  EXPECT_EQ(line(12), 13);
  EXPECT_EQ(line(265), 13);
  EXPECT_EQ(line(266), 10);
  EXPECT_EQ(line(268), 0);
}

// The forms of Objects/locations.md at v3.11.7, each with the bytes of its columns, which do not matter.
TEST(PythonLines, FollowsTheLocationsOf311) {
  const std::string lines =
      table({0x80 | 11 << 3 | 1, 0, 4,        // 2 units: a line on
             0x80 | 3 << 3 | 0, 0x12,         // 1 unit: the same line
             0x80 | 15 << 3 | 0,              // 1 unit without a line
             0x80 | 13 << 3 | 0, 0x42, 0x01,  // 1 unit: 33 lines on, in two bytes
             0x80 | 14 << 3 | 2, 3, 0, 1, 2,  // 3 units: a line back
             0x80 | 12 << 3 | 7, 5, 6});      // 8 units: two lines on
  const auto line = [&](int64_t unit) {
    return line_of(LineTable::Locations, lines, 100, 2 * unit);
  };
  EXPECT_EQ(line(0), 101);
  EXPECT_EQ(line(1), 101);
  EXPECT_EQ(line(2), 101);
  EXPECT_EQ(line(3), 0);
  EXPECT_EQ(line(4), 134);
  EXPECT_EQ(line(5), 133);
  EXPECT_EQ(line(7), 133);
  EXPECT_EQ(line(8), 135);
  EXPECT_EQ(line(15), 135);
  EXPECT_EQ(line(16), 0);
}

TEST(PythonLines, GivesTheFirstLineBeforeTheFirstInstruction) {
  for (const LineTable kind : {LineTable::Deltas, LineTable::Ranges, LineTable::Locations})
    EXPECT_EQ(line_of(kind, table({2, 1}), 7, -2), 7);
}

TEST(PythonLines, GivesNoLineWhereTheTableIsCutOrDamaged) {
  EXPECT_EQ(line_of(LineTable::Ranges, "", 7, 0), 0);
  EXPECT_EQ(line_of(LineTable::Locations, "", 7, 0), 0);
  EXPECT_EQ(line_of(LineTable::Locations, table({0x80 | 13 << 3, 0x42}), 7, 0), 0);
  EXPECT_EQ(line_of(LineTable::Locations, table({0x05, 0x06}), 7, 0), 0);
  EXPECT_EQ(line_of(LineTable::Deltas, table({0, -100}), 7, 0), 0);
}

TEST(PythonLines, TakesAnyBytesAsATable) {
  std::mt19937 random(1);  // NOLINT: the same each time
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes(random() % 40, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    for (const LineTable kind : {LineTable::Deltas, LineTable::Ranges, LineTable::Locations})
      EXPECT_GE(line_of(kind, bytes, static_cast<int32_t>(random() % 1000), random() % 100), 0);
  }
}

}  // namespace
}  // namespace lockstep::live
