#include "base/command_line.h"

#include <gtest/gtest.h>

namespace lockstep::base {
namespace {

// Parses WORDS as the arguments of a program called `tool`.
std::optional<int> parse(Program* program, std::vector<const char*> words) {
  words.insert(words.begin(), "tool");
  return program->parse(static_cast<int>(words.size()), words.data());
}

TEST(CommandLine, ReadsOptionsFlagsAndPositionalArgumentsIntoVariables) {
  Program program("A tool.", "tool");
  std::string directory;
  int top = 3;
  bool json = false;
  std::vector<uint64_t> sizes;
  program.option("DIR", &directory, "Where").required();
  program.option("--top", &top, "Rows");
  program.flag("--json", &json, "As JSON");
  program.option("--sizes", &sizes, "Bytes").separated_by(',').bytes();
  EXPECT_EQ(parse(&program, {"run1", "--json", "--sizes", "64K,5"}), std::nullopt);
  EXPECT_EQ(directory, "run1");
  EXPECT_EQ(top, 3) << "what is not given keeps its value";
  EXPECT_TRUE(json);
  EXPECT_EQ(sizes, (std::vector<uint64_t>{65536, 5}));
}

TEST(CommandLine, RefusesWhatIsOutsideItsRange) {
  Program program("A tool.", "tool");
  int ranks = 2;
  double fraction = 1;
  std::string end;
  program.option("--ranks", &ranks, "Ranks").between(1, 8);
  program.option("--fraction", &fraction, "Part").between(0.0, 1.0);
  program.option("--end", &end, "How").one_of({"exit", "kill"});
  EXPECT_EQ(parse(&program, {"--ranks", "8", "--fraction", "0.5", "--end", "kill"}), std::nullopt);
  EXPECT_EQ(parse(&program, {"--ranks", "9"}), 2);
  EXPECT_EQ(parse(&program, {"--fraction", "1.1"}), 2);
  EXPECT_EQ(parse(&program, {"--end", "sleep"}), 2);
  EXPECT_EQ(parse(&program, {"--ranks", "two"}), 2);
}

TEST(CommandLine, SaysOfANumberWhatItShouldBeInFewWords) {
  Program program("A tool.", "tool");
  int64_t rank = 0, limit = 1;
  program.option("--rank", &rank, "Of").not_negative();
  program.option("--limit", &limit, "Rows").positive();
  testing::internal::CaptureStderr();
  EXPECT_EQ(parse(&program, {"--rank", "-1"}), 2);
  EXPECT_EQ(parse(&program, {"--limit", "0"}), 2);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("-1 is not 0 or a number above"), std::string::npos) << said;
  EXPECT_NE(said.find("0 is not a number above 0"), std::string::npos) << said;
}

TEST(CommandLine, KnowsWhichArgumentsGoTogether) {
  Program program("A tool.", "tool");
  int ranks = 2, rank = -1, world = 0;
  const Argument all = program.option("--ranks", &ranks, "All");
  const Argument one = program.option("--rank", &rank, "One");
  program.option("--world", &world, "Of").needs(one).excludes(all);
  EXPECT_EQ(parse(&program, {"--world", "4"}), 2);
  EXPECT_EQ(parse(&program, {"--ranks", "4", "--rank", "1", "--world", "4"}), 2);
  EXPECT_EQ(parse(&program, {"--rank", "1", "--world", "4"}), std::nullopt);
  EXPECT_TRUE(one.given());
  EXPECT_FALSE(all.given());
}

TEST(CommandLine, RunsTheCommandThatWasCalledWithItsOwnArguments) {
  Program program("A tool.", "tool");
  std::string what;
  program.command("show", "Shows", [] { return 1; });
  Command runs = program.group("runs", "Runs");
  runs.command("rm", "Removes", [&] { return what == "run1" ? 7 : 8; })
      .option("DIR", &what, "Which")
      .required();
  ASSERT_EQ(parse(&program, {"runs", "rm", "run1"}), std::nullopt);
  EXPECT_EQ(program.run(), 7);
}

TEST(CommandLine, NamesACommandThatDoesNotExist) {
  Program program("A tool.", "tool");
  program.group("runs", "Runs").command("rm", "Removes", [] { return 0; });
  testing::internal::CaptureStderr();
  EXPECT_EQ(parse(&program, {"confi"}), 2);
  EXPECT_EQ(parse(&program, {"runs", "list"}), 2);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "tool: there is no command 'confi'; `tool --help` lists them\n"
            "tool runs: there is no command 'list'; `tool runs --help` lists them\n");
  EXPECT_EQ(parse(&program, {}), 2) << "no command at all";
}

TEST(CommandLine, PrintsHelpAndVersionAndEndsWell) {
  Program program("A tool.", "tool");
  program.footer("Exit codes: 0.");
  program.version("tool 1.2");
  unsigned top = 0;
  program.command("show", "Shows", [] { return 0; })
      .option("--top", &top, "Rows in the lists")
      .positive()
      .shown_as("N");
  testing::internal::CaptureStdout();
  EXPECT_EQ(parse(&program, {"--version"}), 0);
  EXPECT_EQ(parse(&program, {"show", "--help"}), 0);
  const std::string out = testing::internal::GetCapturedStdout();
  EXPECT_EQ(out.find("tool 1.2\n"), 0u);
  EXPECT_NE(out.find("--top N"), std::string::npos) << out;
  EXPECT_NE(out.find("Rows in the lists"), std::string::npos) << out;
  EXPECT_NE(out.find("Exit codes: 0."), std::string::npos) << out;
}

}  // namespace
}  // namespace lockstep::base
