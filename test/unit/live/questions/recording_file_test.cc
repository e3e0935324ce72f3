#include "live/questions/recording_file.h"

#include <gtest/gtest.h>

namespace lockstep::live {
namespace {

TEST(RecordingFile, ComesBackAsItWas) {
  const RecordingFile file{"n1/n1.4711.0.lks", {4096, ~uint64_t{0}}, 12};

  const auto question = parse_recording_file(to_json(file));
  ASSERT_TRUE(question.ok()) << question.message();
  EXPECT_EQ(question.value().name, file.name);
  EXPECT_EQ(question.value().is, file.is);
  EXPECT_EQ(question.value().from, 12u);

  const auto rows = parse_recording_files(to_json(std::vector<RecordingFile>{file, file}));
  ASSERT_TRUE(rows.ok()) << rows.message();
  ASSERT_EQ(rows.value().size(), 2u);
  EXPECT_EQ(rows.value()[1].is, file.is);
}

TEST(RecordingFile, LeavesNoRunDirectory) {
  for (const char* name :
       {"", "/etc/passwd", "../key", "n1/../../key", "n1/.key", "a b", "a/b/c/d/e/f"})
    EXPECT_FALSE(parse_recording_file(to_json(RecordingFile{name, {}, 0})).ok()) << name;
  EXPECT_FALSE(parse_recording_files("{}").ok());
  EXPECT_FALSE(parse_recording_files("[7]").ok());
}

}  // namespace
}  // namespace lockstep::live
