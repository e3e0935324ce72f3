#include "cli/live/node_table.h"

#include <gtest/gtest.h>

namespace lockstep::cli {
namespace {

TEST(NodeTable, RowsAreShownWithTheirClocksAndWhatIsNoRowIsPassedOver) {
  const std::string rows = R"([7,{"host":"n1","version":"1","processes":8},"x",null])";

  const NodeList nodes = node_list(rows, {{"n1", "good"}});
  EXPECT_EQ(nodes.json, R"([{"host":"n1","version":"1","processes":8,"clock":"good"}])");
  EXPECT_NE(nodes.table.find("good"), std::string::npos);
  EXPECT_EQ(nodes.table.find("x"), std::string::npos);
  EXPECT_EQ(node_list(rows, {}).json,
            R"([{"host":"n1","version":"1","processes":8,"clock":null}])");
}

TEST(NodeTable, WhatIsNoListHasNoRows) { EXPECT_EQ(node_list("{", {}).json, "[]"); }

}  // namespace
}  // namespace lockstep::cli
