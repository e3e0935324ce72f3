#include "live/wire/messages.h"

#include <gtest/gtest.h>

namespace lockstep::live {
namespace {

TEST(Messages, AQuestionComesBackAsItWas) {
  const QuestionMessage asked{
      {"ctl", R"({"request":"events \"x\""})", "me@here"}, "/runs/a b", 5000, uint64_t{1} << 40};
  const Result<QuestionMessage> heard = parse_question(question_json(asked));
  ASSERT_TRUE(heard.ok()) << heard.message();
  EXPECT_EQ(heard.value().question.word, "ctl");
  EXPECT_EQ(heard.value().question.arguments, asked.question.arguments);
  EXPECT_EQ(heard.value().question.asker, "me@here");
  EXPECT_EQ(heard.value().run, "/runs/a b");
  EXPECT_EQ(heard.value().patience_ms, 5000u);
  EXPECT_EQ(heard.value().most_bytes, uint64_t{1} << 40);
}

TEST(Messages, AQuestionWithoutAWordIsRefused) {
  EXPECT_FALSE(parse_question("{}").ok());
  EXPECT_FALSE(parse_question("[]").ok());
  EXPECT_FALSE(parse_question("").ok());
}

TEST(Messages, NobodysPatienceIsLongerThanAnHour) {
  const auto heard = parse_question(R"({"word":"ps","patience_ms":99999999999})");
  ASSERT_TRUE(heard.ok());
  EXPECT_EQ(heard.value().patience_ms, 3'600'000u);
}

TEST(Messages, AnEndSaysHowOldTheDataIsAndWhoFailed) {
  HostAnswer answer;
  answer.oldest_data_ns = 12;
  answer.failed = {"process 7: silent"};
  const auto heard = parse_end(end_json(answer));
  ASSERT_TRUE(heard.ok());
  EXPECT_EQ(heard.value().oldest_data_ns, 12);
  EXPECT_EQ(heard.value().failed, answer.failed);
}

TEST(Messages, APartComesBackWithItsName) {
  const std::string frame = part_frame("n1/4711.0.lks", "bytes");
  const auto part = parse_part(frame);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->name, "n1/4711.0.lks");
  EXPECT_EQ(part->bytes, "bytes");
}

TEST(Messages, APartThatWouldLeaveItsFolderIsNone) {
  for (const char* name :
       {"../x", "/etc/passwd", "a/../../b", "a//b", ".hidden", "", "a\nb", "a/"}) {
    EXPECT_FALSE(parse_part(part_frame(name, "x"))) << name;
  }
  EXPECT_FALSE(
      parse_part(std::string("\x05"
                             "ab",
                             3)));
  EXPECT_FALSE(parse_part(""));
}

}  // namespace
}  // namespace lockstep::live
