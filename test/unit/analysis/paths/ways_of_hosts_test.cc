// Slow ways between hosts that are joined because they have one in common.
#include "analysis/paths/ways_of_hosts.h"

#include <gtest/gtest.h>

namespace lockstep::analysis {
namespace {

// Two ranks on each of four hosts.
struct Hosts {
  Hosts() {
    for (uint32_t host = 0; host < 4; ++host) {
      for (uint32_t i = 0; i < 2; ++i) {
        ProcessRow& process = run.processes.emplace_back();
        process.host = run.strings.intern("host" + std::to_string(host));
        own.actors.push_back({2 * host + i, 0});
      }
    }
  }
  std::vector<SlowPart> joined(std::vector<SlowPart> parts) const {
    join_ways_of_hosts(run, own, &parts);
    return parts;
  }
  RunTables run;
  OwnSegments own;
};

SlowPart edge(uint32_t from, uint32_t to, int64_t gain_ns, SlowSide side = SlowSide::SenderOrLink) {
  SlowPart part;
  part.actors = {from};
  part.peer = to;
  part.gain_ns = gain_ns;
  part.side = side;
  return part;
}

TEST(WaysOfHosts, JoinTheWayIntoAHostAndTheWayOutOfIt) {
  const Hosts hosts;
  const std::vector<SlowPart> parts = hosts.joined({edge(1, 2, 300), edge(3, 4, 40)});
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_TRUE(parts[0].host);
  EXPECT_EQ(parts[0].actors, (std::vector<uint32_t>{2, 3}));
  EXPECT_EQ(parts[0].peer, kNoRow);
  EXPECT_EQ(parts[0].gain_ns, 340);
}

TEST(WaysOfHosts, JoinEdgesFromOneHostToAnotherToTheWayBetweenThem) {
  const Hosts hosts;
  const std::vector<SlowPart> parts = hosts.joined({edge(1, 2, 300), edge(0, 3, 40)});
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_FALSE(parts[0].host);
  EXPECT_EQ(parts[0].actors, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(parts[0].peer, kNoRow);
  EXPECT_EQ(hosts.run.text(parts[0].peer_host), "host1");
  EXPECT_EQ(parts[0].gain_ns, 340);
}

TEST(WaysOfHosts, JoinEdgesFromOneHostToTwoOthersToThatHost) {
  const std::vector<SlowPart> parts = Hosts().joined({edge(2, 0, 300), edge(3, 6, 40)});
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_TRUE(parts[0].host);
  EXPECT_EQ(parts[0].actors, (std::vector<uint32_t>{2, 3}));
}

TEST(WaysOfHosts, JoinWhatTwoHostsSendToEachOtherToWhatTheyExchange) {
  SlowPart exchange;
  exchange.actors = {2, 3, 6, 7};
  exchange.both_ends = true;
  for (const SlowPart& other : {edge(7, 3, 40), exchange}) {
    const std::vector<SlowPart> parts = Hosts().joined({edge(2, 6, 300), other});
    ASSERT_EQ(parts.size(), 1u);
    EXPECT_TRUE(parts[0].both_ends);
    EXPECT_FALSE(parts[0].host);
    EXPECT_EQ(parts[0].peer_host, Text{0});
    EXPECT_EQ(parts[0].actors, other.both_ends ? exchange.actors : (std::vector<uint32_t>{2, 7}));
  }
}

TEST(WaysOfHosts, JoinAWayWithWhatTwoHostsExchange) {
  const Hosts hosts;
  SlowPart exchange;
  exchange.actors = {2, 3, 6, 7};
  exchange.both_ends = true;
  const std::vector<SlowPart> parts = hosts.joined({edge(0, 2, 300), exchange});
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_TRUE(parts[0].host);
  EXPECT_FALSE(parts[0].both_ends);
  EXPECT_EQ(parts[0].actors, (std::vector<uint32_t>{2, 3}));
}

TEST(WaysOfHosts, LeaveApartWhatHasNoHostInCommonOrIsAReceiversOwn) {
  const Hosts hosts;
  EXPECT_EQ(hosts.joined({edge(1, 2, 300), edge(5, 6, 40)}).size(), 2u);
  EXPECT_EQ(hosts.joined({edge(1, 2, 300, SlowSide::ReceiverGpu), edge(3, 4, 40)}).size(), 2u);
}

}  // namespace
}  // namespace lockstep::analysis
