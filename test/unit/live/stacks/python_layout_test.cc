#include "live/stacks/python_layout.h"

#include <gtest/gtest.h>

#include "test/unit/live/stacks/published_offsets.h"

namespace lockstep::live {
namespace {

TEST(PythonLayout, TakesWhat313Publishes) {
  const Result<PythonLayout> layout = published_layout(published_3_13());
  ASSERT_TRUE(layout.ok()) << layout.message();
  EXPECT_EQ(layout.value().frames, FrameKind::Shimmed);
  EXPECT_EQ(layout.value().lines, LineTable::Locations);
  // offsetof() in Include/internal/pycore_frame.h at v3.13.0.
  EXPECT_EQ(layout.value().frame.back, 8U);
  EXPECT_EQ(layout.value().frame.instruction, 56U);
  EXPECT_EQ(layout.value().frame.mark, 70U);
  EXPECT_EQ(layout.value().text.ascii_data, 40U);
  EXPECT_EQ(layout.value().text.other_data, 56U);
  EXPECT_FALSE(layout.value().tagged_code);
}

TEST(PythonLayout, FindsTheSameStructuresBehindTheMoreWordsOf314) {
  const PythonLayout old = published_layout(published_3_13()).value();
  const Result<PythonLayout> layout = published_layout(published_3_14());
  ASSERT_TRUE(layout.ok()) << layout.message();
  EXPECT_EQ(layout.value().thread.frame, old.thread.frame);
  EXPECT_EQ(layout.value().thread.task, old.thread.task);
  EXPECT_EQ(layout.value().frame.mark, old.frame.mark);
  EXPECT_EQ(layout.value().code.lines, old.code.lines);
  EXPECT_EQ(layout.value().text.state, old.text.state);
  EXPECT_EQ(layout.value().bytes_data, old.bytes_data);
  EXPECT_TRUE(layout.value().tagged_code);
  EXPECT_FALSE(layout.value().copied_code);
}

TEST(PythonLayout, RefusesOffsetsOutsideOfTheirStructures) {
  for (size_t word = 4; word < 71; ++word) {
    PublishedOffsets published = published_3_13();
    published[word] = UINT64_MAX - 3;
    const Result<PythonLayout> layout = published_layout(published);
    if (layout.ok()) {
      // Not one that is used.
      EXPECT_EQ(published_layout(published_3_13()).value().frame.bytes, layout.value().frame.bytes);
      EXPECT_EQ(published_layout(published_3_13()).value().code.bytes, layout.value().code.bytes);
    } else {
      EXPECT_EQ(layout.message(), "its published offsets lie outside of their structures");
    }
  }
  PublishedOffsets published = published_3_13();
  published[31] = published[28];  // instr_ptr behind the frame
  EXPECT_FALSE(published_layout(published).ok());
}

TEST(PythonLayout, RefusesAStructureTooLargeToReadAtOnce) {
  PublishedOffsets published = published_3_13();
  published[28] = 1 << 20;  // the frame's size
  published[31] = 1 << 19;
  EXPECT_FALSE(published_layout(published).ok());
}

TEST(PythonLayout, NamesAVersionWhoseOffsetsItDoesNotKnow) {
  PublishedOffsets published = published_3_13();
  published[1] = 0x030f01f0;
  EXPECT_EQ(published_layout(published).message(), "its published offsets are those of 3.15.1");
}

TEST(PythonLayout, SeesNoVersionInOtherBytes) {
  PublishedOffsets published = published_3_13();
  published[0] = 0;
  EXPECT_EQ(published_version(published).hex, 0U);
  EXPECT_EQ(published_layout(published).message(), "its published offsets have no cookie");
}

TEST(PythonLayout, HasATableFor39To312AndNoOther) {
  for (const uint32_t minor : {9U, 10U, 11U, 12U})
    EXPECT_TRUE(table_layout({3U << 24 | minor << 16, false})) << minor;
  for (const uint32_t minor : {0U, 8U, 13U, 14U, 255U})
    EXPECT_FALSE(table_layout({3U << 24 | minor << 16, false})) << minor;
  EXPECT_FALSE(table_layout({2U << 24 | 9U << 16, false}));
  EXPECT_FALSE(table_layout({}));
}

TEST(PythonVersion, SaysOnlyWhatIsKnown) {
  EXPECT_EQ((PythonVersion{0x030b07f0, true}.text()), "3.11.7");
  EXPECT_EQ((PythonVersion{0x03090000, false}.text()), "3.9");
}

}  // namespace
}  // namespace lockstep::live
