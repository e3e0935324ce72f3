#include "clocksync/rendezvous/rendezvous_tcp.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "test/unit/clocksync/rendezvous/hosts.h"

namespace lockstep::clocksync {
namespace {

TEST(RendezvousTcp, GathersHostsThatShareTheKeyAndOnlyThose) {
  SecretKey key{}, wrong{};
  wrong[0] = 1;
  const auto port = static_cast<uint16_t>(20000 + getpid() % 20000);
  const auto server = tcp_source("127.0.0.1", port, entry("a", 1), key);
  ASSERT_EQ(names(server->look()), std::vector<std::string>{"a"});
  ASSERT_TRUE(server->serves());
  std::atomic<bool> done{false};
  std::thread serving([&] {
    while (!done) {
      (void)server->look();
      usleep(1000);
    }
  });
  const auto friendly = tcp_source("127.0.0.1", port, entry("b", 2), key);
  const auto stranger = tcp_source("127.0.0.1", port, entry("s", 3), wrong);
  EXPECT_EQ(names(friendly->look()), (std::vector<std::string>{"a", "b"}));
  EXPECT_FALSE(stranger->look().ok());
  EXPECT_EQ(names(friendly->look()), (std::vector<std::string>{"a", "b"}));
  done = true;
  serving.join();
}

}  // namespace
}  // namespace lockstep::clocksync
