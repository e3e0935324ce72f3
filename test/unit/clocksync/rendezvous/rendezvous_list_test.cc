#include "clocksync/rendezvous/rendezvous_list.h"

#include <gtest/gtest.h>

#include "test/unit/clocksync/rendezvous/hosts.h"

namespace lockstep::clocksync {
namespace {

TEST(RendezvousList, GivesNamesToAddresses) {
  const auto source = list_source(
      parse_static_list("a=127.0.0.1:5,b=127.0.0.2,127.0.0.3:7").value(), 99, entry("a", 1));
  const auto hosts = source->look();
  ASSERT_TRUE(hosts.ok()) << hosts.message();
  ASSERT_EQ(hosts.value().size(), 3u);
  EXPECT_EQ(hosts.value()[0].port, 1);  // our own entry says where we really are
  EXPECT_EQ(hosts.value()[1].address, "127.0.0.2");
  EXPECT_EQ(hosts.value()[1].port, 99);
  EXPECT_EQ(hosts.value()[2].name, "127.0.0.3");
  const ListedSelf self = find_self(parse_static_list("b=127.0.0.2,a=127.0.0.9:5").value(), "a");
  EXPECT_TRUE(self.found);
  EXPECT_EQ(self.address, "127.0.0.9");
  EXPECT_EQ(self.port, 5);
  EXPECT_FALSE(
      list_source(parse_static_list("b=127.0.0.2").value(), 0, entry("a", 1))->look().ok());
}

}  // namespace
}  // namespace lockstep::clocksync
