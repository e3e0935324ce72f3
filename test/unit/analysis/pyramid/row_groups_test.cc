// What rows of tiles can be put together by: a run of 2 x 2 ranks, tensor groups within a host, data groups across.
#include "analysis/pyramid/row_groups.h"

#include <gtest/gtest.h>

namespace lockstep::analysis {
namespace {

std::vector<LaneFacts> lanes() {
  std::vector<LaneFacts> lanes(4);
  for (int32_t rank = 0; rank < 4; ++rank) {
    LaneFacts& lane = lanes[static_cast<size_t>(rank)];
    lane.rank = rank;
    lane.host = rank < 2 ? "left" : "right";
    lane.communicators = {"world", rank < 2 ? "tp0" : "tp1", rank % 2 == 0 ? "dp0" : "dp1"};
  }
  return lanes;
}

Dimensions of(const std::vector<std::pair<std::string, CommRole>>& communicators) {
  RunTables run;
  for (const auto& [name, role] : communicators) {
    CommunicatorRow& row = run.communicators.emplace_back();
    row.name = run.strings.intern(name);
    row.role = role;
  }
  return dimensions_of(run);
}

const Dimensions kDimensions = of({{"world", CommRole::World},
                                   {"tp0", CommRole::Tensor},
                                   {"tp1", CommRole::Tensor},
                                   {"dp0", CommRole::Data},
                                   {"dp1", CommRole::Data},
                                   {"stray", CommRole::Unknown}});

std::vector<std::string> labels(const std::string& group) {
  TileRequest request;
  request.to_ns = 1000;
  EXPECT_TRUE(set_row_group(group, kDimensions, &request));
  const auto shape = shape_of(lanes(), request);
  EXPECT_TRUE(shape.ok()) << shape.message();
  std::vector<std::string> labels;
  for (const TileRow& row : shape.value().rows) labels.push_back(row.label);
  return labels;
}

using Names = std::vector<std::string>;

TEST(RowGroups, AreThoseThatGiveARunSeveralRows) {
  EXPECT_EQ(row_groups(lanes(), kDimensions),
            Names({"rank", "host", "communicator", "tensor", "data"}));
  EXPECT_EQ(row_groups({lanes()[0]}, {}), Names({"rank", "communicator"}));
  EXPECT_EQ(row_groups({}, {}), Names({"rank"}));
  const Dimensions one = of({{"world", CommRole::Data}});
  EXPECT_EQ(row_groups(lanes(), one), Names({"rank", "host", "communicator"}));
}

TEST(RowGroups, OfADimensionAreItsCommunicators) {
  EXPECT_EQ(labels("tensor"), Names({"tp0", "tp1"}));
  EXPECT_EQ(labels("data"), Names({"dp0", "dp1"}));
  EXPECT_EQ(labels("communicator"), Names({"world", "tp0", "dp0", "dp1", "tp1"}));
  EXPECT_EQ(labels("host"), Names({"left", "right"}));
}

TEST(RowGroups, OfADimensionThatTheRunDoesNotHaveAreRefused) {
  TileRequest request;
  EXPECT_FALSE(set_row_group("pipeline", kDimensions, &request));
}

}  // namespace
}  // namespace lockstep::analysis
