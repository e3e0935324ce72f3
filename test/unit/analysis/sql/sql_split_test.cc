#include "analysis/sql/sql_split.h"

#include <gtest/gtest.h>

#include <vector>

namespace lockstep::analysis {
namespace {

std::vector<std::string> split(std::string text, std::string* rest) {
  std::vector<std::string> statements;
  std::string statement;
  while (take_statement(&text, &statement)) statements.push_back(statement);
  *rest = text;
  return statements;
}

TEST(SqlSplit, CutsAtSemicolonsAndKeepsWhatIsNotFinished) {
  std::string rest;
  const auto statements = split("SELECT 1; SELECT 2;SELECT", &rest);
  EXPECT_EQ(statements, (std::vector<std::string>{"SELECT 1;", " SELECT 2;"}));
  EXPECT_EQ(rest, "SELECT");
}

TEST(SqlSplit, DoesNotCutInsideStringsNamesAndComments) {
  std::string rest;
  for (const char* whole : {"SELECT 'a;''b;' AS \"c;d\";", "SELECT 1 -- not here;\n + 1;",
                            "SELECT /* ; */ 1;", "SELECT $$ ; $$;", "SELECT $tag$ $$; $tag$;"}) {
    EXPECT_EQ(split(whole, &rest), (std::vector<std::string>{whole}));
    EXPECT_EQ(rest, "");
  }
}

TEST(SqlSplit, WaitsForTheEndOfAString) {
  std::string rest;
  EXPECT_TRUE(split("SELECT 'not yet;", &rest).empty());
  EXPECT_TRUE(split("SELECT /* not yet;", &rest).empty());
}

TEST(SqlSplit, KnowsWhatAsksNothing) {
  EXPECT_TRUE(is_blank_statement(" -- only a comment"));
  EXPECT_TRUE(is_blank_statement("/* and */ ; \n"));
  EXPECT_FALSE(is_blank_statement("-- a comment\nSELECT 1"));
}

TEST(SqlSplit, FindsTableNamesButNotTextsThatLookLikeThem) {
  const auto words =
      words_of_statement("SELECT 'clock' FROM \"Events\" JOIN PROXY_STEPS USING (x) -- ledger");
  EXPECT_EQ(words.count("events"), 1u);
  EXPECT_EQ(words.count("proxy_steps"), 1u);
  EXPECT_EQ(words.count("clock"), 0u);
  EXPECT_EQ(words.count("ledger"), 0u);
}

}  // namespace
}  // namespace lockstep::analysis
