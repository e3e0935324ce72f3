// What network steps show of an edge.
#include "analysis/paths/seen_ring.h"

#include <gtest/gtest.h>

#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

// Steps take `wire_us` from sending to acknowledgement, of which the network works `work_us` on each.
SeenEdge seen_edge(int64_t wire_us, int64_t work_us) {
  EdgeSamples samples;
  samples.wire.assign(20, wire_us * kUs);
  samples.work.assign(20, work_us * kUs);
  return look_at(samples);
}
UsualEdge usual_edge(int64_t wire_us, int64_t work_us) {
  UsualEdge edge;
  edge.wire_ns = wire_us * kUs;
  edge.work_ns = work_us * kUs;
  return edge;
}

TEST(LinkIsSlow, WhereTheNetworkWorksLongerOnEachStep) {
  EXPECT_TRUE(is_link_slow(seen_edge(400, 90), usual_edge(150, 45), 10 * kUs));
  EXPECT_FALSE(is_link_slow(seen_edge(150, 45), usual_edge(150, 45), 10 * kUs));
}

TEST(LinkIsSlow, NotWhereStepsWaitBehindEachOther) {
  EXPECT_FALSE(is_link_slow(seen_edge(202, 45), usual_edge(158, 45), 10 * kUs));
}

// A sender that gets its data late sends step by step: none waits, and each has the way to itself.
TEST(LinkIsSlow, NotWhereStepsGoAlone) {
  EXPECT_FALSE(is_link_slow(seen_edge(60, 60), usual_edge(158, 45), 10 * kUs));
}

}  // namespace
}  // namespace lockstep::analysis
