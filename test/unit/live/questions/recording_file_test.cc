#include "live/questions/recording_file.h"

#include <gtest/gtest.h>

#include "live/questions/question.h"

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

void expect_refused(const std::string& name) {
  EXPECT_FALSE(is_part_name(name)) << name;
  EXPECT_FALSE(parse_recording_file(to_json(RecordingFile{name, {}, 0})).ok()) << name;
  const std::vector<RecordingFile> listed = {{"n1/n1.4711.0.lks", {}, 0}, {name, {}, 0}};
  EXPECT_FALSE(parse_recording_files(to_json(listed)).ok()) << name;
}

TEST(RecordingFile, LeavesNoRunDirectory) {
  for (const char* name : {"",      ".",           "..",       "/",
                           "//",    "/etc/passwd", "../key",   "n1/../../key",
                           "n1/..", "n1/",         "/n1",      "n1//key",
                           "./key", "n1/./key",    "n1/.key",  "a b",
                           "a\nb",  "a\\b",        "~",        "~root/key",
                           "$HOME", "a/b/c/d/e/f", "\xc0\xaf", "n1\xe2\x88\x95key"})
    expect_refused(name);
  expect_refused(std::string(256, 'a'));
  const std::string nul(1, '\0');
  for (const std::string& name : {nul, nul + "key", "key" + nul, "n1/key" + nul + ".lks"})
    expect_refused(name);
  EXPECT_FALSE(parse_recording_files("{}").ok());
  EXPECT_FALSE(parse_recording_files("[7]").ok());
}

TEST(RecordingFile, NeedsANameThatIsAText) {
  for (const char* text :
       {"{}", R"({"name":7})", R"({"name":null})", R"({"name":["a"]})", R"({"name":{"name":"a"}})"})
    EXPECT_FALSE(parse_recording_file(text).ok()) << text;
  EXPECT_FALSE(parse_recording_file(R"({"name":"n1\u0000"})").ok());
}

}  // namespace
}  // namespace lockstep::live
