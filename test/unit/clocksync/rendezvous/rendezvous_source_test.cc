#include "clocksync/rendezvous/rendezvous_source.h"

#include <gtest/gtest.h>

#include "test/unit/clocksync/rendezvous/hosts.h"

namespace lockstep::clocksync {
namespace {

TEST(RendezvousEntry, SurvivesTheWayThroughJson) {
  const HostEntry host = entry("gpu-7.cluster", 4711);
  EXPECT_TRUE(entry_from_json(entry_to_json(host)).value() == host);
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
