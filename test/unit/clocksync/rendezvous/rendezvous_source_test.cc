#include "clocksync/rendezvous/rendezvous_source.h"

#include <gtest/gtest.h>

#include "test/unit/clocksync/rendezvous/hosts.h"

namespace lockstep::clocksync {
namespace {

TEST(RendezvousEntry, SurvivesTheWayThroughJson) {
  const HostEntry host = entry("gpu-7.cluster", 4711);
  EXPECT_TRUE(entry_from_json(entry_to_json(host)).value() == host);
}

TEST(RendezvousEntry, HasTheAddressOfEachInterface) {
  HostEntry host = entry("gpu-7", 4711);
  host.further = {{"eth1", "10.0.1.7", 4712}, {"ib0", "fd00::7", 4713}};
  EXPECT_TRUE(entry_from_json(entry_to_json(host)).value() == host);
}

TEST(RendezvousEntry, LeavesOutInterfacesThatCannotBe) {
  const std::string first = "{\"host\":\"a\",\"address\":\"127.0.0.1\",\"port\":5,\"further\":";
  const std::string bad = "{\"interface\":\"../x\",\"address\":\"127.0.0.1\",\"port\":5}";
  const std::string good = "{\"interface\":\"eth1\",\"address\":\"127.0.0.1\",\"port\":5}";
  EXPECT_TRUE(entry_from_json(first + "7}").value().further.empty());
  EXPECT_EQ(entry_from_json(first + "[7," + bad + "]}").value().further.size(), 0u);
  EXPECT_EQ(entry_from_json(first + "[" + bad + "," + good + "]}").value().further.size(), 1u);
  std::string many = good;
  for (int i = 0; i < 100; ++i) many += "," + good;
  EXPECT_EQ(entry_from_json(first + "[" + many + "]}").value().further.size(), kMostInterfaces - 1);
}

TEST(RendezvousEntry, RefusesWhatCouldDoHarm) {
  for (const char* bad :
       {"", "[]", "{}", "{\"host\":\"../x\",\"address\":\"127.0.0.1\",\"port\":5}",
        "{\"host\":\"a/b\",\"address\":\"127.0.0.1\",\"port\":5}",
        "{\"host\":\"a\",\"address\":\"localhost\",\"port\":5}",
        "{\"host\":\"a\",\"address\":\"127.0.0.1\",\"port\":0}",
        "{\"host\":\"a\",\"address\":\"127.0.0.1\",\"port\":70000}",
        "{\"host\":\"a b\",\"address\":\"127.0.0.1\",\"port\":7}"}) {
    EXPECT_FALSE(entry_from_json(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace lockstep::clocksync
