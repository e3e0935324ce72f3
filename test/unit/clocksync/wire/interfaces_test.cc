#include "clocksync/wire/interfaces.h"

#include <gtest/gtest.h>

namespace lockstep::clocksync {
namespace {

using Names = std::vector<std::string>;

TEST(InterfaceName, FollowsNcclsSyntax) {
  EXPECT_TRUE(ifname_matches("eth0", "eth"));
  EXPECT_TRUE(ifname_matches("eth0", "ib,eth"));
  EXPECT_FALSE(ifname_matches("enp1s0", "eth"));
  EXPECT_TRUE(ifname_matches("eth0", "=eth0"));
  EXPECT_FALSE(ifname_matches("eth01", "=eth0"));
  EXPECT_FALSE(ifname_matches("docker0", "^docker,lo"));
  EXPECT_FALSE(ifname_matches("lo", "^docker,lo"));
  EXPECT_TRUE(ifname_matches("eth0", "^docker,lo"));
  EXPECT_FALSE(ifname_matches("lo", "^=lo"));
  EXPECT_TRUE(ifname_matches("lo1", "^=lo"));
  EXPECT_TRUE(ifname_matches("ib0", "ib0:1"));
}

Names chosen(const Names& names, const std::string& rule, Family family) {
  std::vector<Interface> all;
  for (const std::string& name : names) {
    const bool v6 = name.back() == '6';
    all.push_back({v6 ? name.substr(0, name.size() - 1) : name, v6 ? "fd00::1" : "10.0.0.1",
                   v6 ? Family::V6 : Family::V4, name.substr(0, 2) == "lo"});
  }
  Names result;
  for (const Interface& one : choose_interfaces(all, {rule, family})) result.push_back(one.name);
  return result;
}

TEST(InterfaceChoice, PrefersWhatNcclPrefers) {
  EXPECT_EQ(chosen({"lo", "docker0", "eth0", "ib0"}, "", Family::Any), Names{"ib0"});
  EXPECT_EQ(chosen({"lo", "docker0", "eth0", "eth1"}, "", Family::Any), (Names{"eth0", "eth1"}));
  EXPECT_EQ(chosen({"lo", "docker0"}, "", Family::Any), Names{"docker0"});
  EXPECT_EQ(chosen({"lo"}, "", Family::Any), Names{"lo"});
  EXPECT_EQ(chosen({"lo", "docker0", "eth0"}, "lo", Family::Any), Names{"lo"});
  EXPECT_EQ(chosen({"eth0", "eth16"}, "", Family::V6), Names{"eth1"});
  EXPECT_EQ(chosen({"eth0"}, "ib", Family::Any), Names{});
  EXPECT_EQ(parse_family("AF_INET6"), Family::V6);
  EXPECT_EQ(parse_family("AF_INET"), Family::V4);
  EXPECT_EQ(parse_family(""), Family::Any);
}

TEST(InterfaceName, AListNamesThemUnlessItExcludesSome) {
  EXPECT_TRUE(ifname_names("eth0,eth1"));
  EXPECT_TRUE(ifname_names("=ib0"));
  EXPECT_FALSE(ifname_names("^docker,lo"));
  EXPECT_FALSE(ifname_names(""));
}

TEST(Loopback, IsTheWholeRangeAndNothingElse) {
  EXPECT_TRUE(is_loopback_address("127.0.0.1"));
  EXPECT_TRUE(is_loopback_address("127.9.8.7"));
  EXPECT_TRUE(is_loopback_address("::1"));
  EXPECT_FALSE(is_loopback_address("128.0.0.1"));
  EXPECT_FALSE(is_loopback_address("10.0.0.1"));
  EXPECT_FALSE(is_loopback_address("fd00::1"));
  EXPECT_FALSE(is_loopback_address("localhost"));
}

}  // namespace
}  // namespace lockstep::clocksync
