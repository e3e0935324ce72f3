#include "clocksync/rendezvous/host_list.h"

#include <gtest/gtest.h>

namespace lockstep::clocksync {
namespace {

using Names = std::vector<std::string>;

Names expand(const std::string& list) {
  const Result<Names> names = expand_nodelist(list);
  return names.ok() ? names.value() : Names{"error: " + names.message()};
}

TEST(NodeList, ExpandsBracketsAsSlurmDoes) {
  EXPECT_EQ(expand("login1"), Names{"login1"});
  EXPECT_EQ(expand("gpu[1-3]"), (Names{"gpu1", "gpu2", "gpu3"}));
  EXPECT_EQ(expand("gpu[001-003,7],login1"),
            (Names{"gpu001", "gpu002", "gpu003", "gpu7", "login1"}));
  EXPECT_EQ(expand("gpu[08-11]"), (Names{"gpu08", "gpu09", "gpu10", "gpu11"}));
  EXPECT_EQ(expand("r[1-2]n[1-2]-ib"), (Names{"r1n1-ib", "r1n2-ib", "r2n1-ib", "r2n2-ib"}));
  EXPECT_EQ(expand(""), Names{});
}

TEST(NodeList, RefusesWhatItCannotExpand) {
  for (const char* bad :
       {"gpu[1-", "gpu[3-1]", "gpu[a-b]", "gpu]", "gpu[]", "gpu[1-99999999999]"}) {
    EXPECT_FALSE(expand_nodelist(bad).ok()) << bad;
  }
}

TEST(HostPort, ReadsPortsAndBothAddressFamilies) {
  const struct {
    const char* item;
    const char* host;
    uint16_t port;
  } good[] = {{"h1", "h1", 0},
              {"h2:4001", "h2", 4001},
              {"[fd00::2]:4002", "fd00::2", 4002},
              {"fd00::3", "fd00::3", 0},
              {"10.0.0.1:5", "10.0.0.1", 5}};
  for (const auto& one : good) {
    const auto parsed = parse_host_port(one.item);
    ASSERT_TRUE(parsed.ok()) << one.item;
    EXPECT_EQ(parsed.value().host, one.host);
    EXPECT_EQ(parsed.value().port, one.port) << one.item;
  }
  for (const char* bad : {"h1:x", "h1:70000", "[fd00::2", ":5"}) {
    EXPECT_FALSE(parse_host_port(bad).ok()) << bad;
  }
}

TEST(StaticList, GivesAnAddressTheNameBeforeTheEqualsSign) {
  const auto list = parse_static_list("n1=10.0.0.1:5,,h2:4001,[fd00::2]:4002").value();
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0].name, "n1");
  EXPECT_EQ(list[0].at.host, "10.0.0.1");
  EXPECT_EQ(list[0].at.port, 5);
  EXPECT_EQ(list[1].name, "h2");
  EXPECT_EQ(list[1].at.port, 4001);
  EXPECT_EQ(list[2].at.host, "fd00::2");
  EXPECT_FALSE(parse_static_list("n1=10.0.0.1:x").ok());
}

}  // namespace
}  // namespace lockstep::clocksync
