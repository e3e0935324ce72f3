#include "live/places/standing.h"

#include <gtest/gtest.h>

namespace lockstep::live {
namespace {

TEST(Standing, NamesTheOldestOperationThatTheProcessWaitsIn) {
  const Standing standing = standing_of(R"({"communicators":[
    {"name":"tp","rank":1,"ranks":2,"issued":{"func":"Send","ordinal":3,"age_ns":10},
     "waiting":{"func":"Send","ordinal":3,"age_ns":10,"started_age_ns":null,"open_network":0}},
    {"name":"world","rank":5,"ranks":8,"issued":{"func":"AllReduce","ordinal":20,"age_ns":30},
     "waiting":{"func":"AllReduce","ordinal":20,"age_ns":30,"started_age_ns":20,"open_network":0}}]})");

  EXPECT_EQ(standing.rank, 5);
  EXPECT_EQ(standing.operation, "in AllReduce #20 on world, its kernel has begun");
  EXPECT_EQ(standing.called_ago_ns, 30);
}

TEST(Standing, NamesTheLastCallWhereNothingIsOpen) {
  const Standing standing = standing_of(R"({"communicators":[
    {"name":"world","rank":0,"ranks":8,"issued":{"func":"AllReduce","ordinal":19,"age_ns":99},
     "waiting":null},
    {"name":"","rank":0,"ranks":2,"issued":{"func":"AllGather","ordinal":null,"age_ns":7},
     "waiting":null}]})");

  EXPECT_EQ(standing.operation, "in no operation; the last call was AllGather");
  EXPECT_EQ(standing.called_ago_ns, 7);
}

TEST(Standing, IsNotKnownFromAnythingElse) {
  for (const char* text : {"", "[]", "{}", R"({"error":"x"})", R"({"communicators":7})",
                           R"({"communicators":[7,null,{}]})"}) {
    const Standing standing = standing_of(text);
    EXPECT_EQ(standing.rank, -1) << text;
    EXPECT_EQ(standing.operation, "") << text;
  }
}

}  // namespace
}  // namespace lockstep::live
