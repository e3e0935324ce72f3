#include "cli/live/node_table.h"

#include <gtest/gtest.h>

namespace lockstep::cli {
namespace {

TEST(NodeTable, RowsAreShownWithTheirClocksAndWhatIsNoRowIsPassedOver) {
  const std::string rows = R"([7,{"host":"n1","version":"1","processes":8},"x",null])";

  EXPECT_EQ(nodes_json(rows, {{"n1", "good"}}),
            R"([{"host":"n1","version":"1","processes":8,"clock":"good"}])");
  const std::string table = node_table(rows, {{"n1", "good"}});
  EXPECT_NE(table.find("good"), std::string::npos);
  EXPECT_EQ(table.find("x"), std::string::npos);
}

TEST(NodeTable, WhatIsNoListHasNoRows) { EXPECT_EQ(nodes_json("{", {}), "[]"); }

}  // namespace
}  // namespace lockstep::cli
