#include "clocksync/wire/packet_auth.h"

#include <gtest/gtest.h>

namespace lockstep::clocksync {
namespace {

TEST(PacketAuth, NoticesEveryChangedBit) {
  ASSERT_TRUE(crypto_ready());
  SecretKey key{};
  key[5] = 9;
  Packet packet;
  packet.sequence = 77;
  packet.sent_raw_ns = 1'234'567'890'123;
  PacketBytes good;
  encode(packet, &good);
  seal(key, &good);
  EXPECT_TRUE(authentic(key, good.data()));
  for (size_t bit = 0; bit < 8 * kPacketBytes; ++bit) {
    PacketBytes changed = good;
    changed[bit / 8] = static_cast<uint8_t>(changed[bit / 8] ^ (1u << bit % 8));
    EXPECT_FALSE(authentic(key, changed.data())) << "bit " << bit;
  }
}

TEST(PacketAuth, UsesAnotherKeyForEachDirectionSessionAndJob) {
  SecretKey job{}, other_job{};
  other_job[0] = 1;
  const SecretKey key = direction_key(job, 1, 2, 10, 20);
  EXPECT_NE(key, direction_key(job, 2, 1, 20, 10));
  EXPECT_NE(key, direction_key(job, 1, 2, 11, 20));
  EXPECT_NE(key, direction_key(job, 1, 2, 10, 21));
  EXPECT_NE(key, direction_key(other_job, 1, 2, 10, 20));
  EXPECT_EQ(key, direction_key(job, 1, 2, 10, 20));
}

TEST(ReplayWindow, AcceptsEachNumberOnceInAnyOrder) {
  ReplayWindow window;
  for (uint64_t n : {5u, 3u, 4u, 9u, 1u}) EXPECT_TRUE(window.accept(n)) << n;
  for (uint64_t n : {5u, 3u, 4u, 9u, 1u}) EXPECT_FALSE(window.accept(n)) << n;
  EXPECT_TRUE(window.accept(2));
  EXPECT_EQ(window.highest(), 9u);
}

TEST(ReplayWindow, RefusesWhatIsOlderThanItRemembers) {
  ReplayWindow window;
  EXPECT_TRUE(window.accept(5000));
  EXPECT_TRUE(window.accept(5000 - 1023));
  EXPECT_FALSE(window.accept(5000 - 1024));
  EXPECT_TRUE(window.accept(9000));
  EXPECT_FALSE(window.accept(5000));
  EXPECT_TRUE(window.accept(9000 - 1023));
}

TEST(ReplayWindow, ForgetsOldNumbersWhenItMovesOverThem) {
  ReplayWindow window;
  for (uint64_t n = 1; n <= 5000; ++n) ASSERT_TRUE(window.accept(n)) << n;
  for (uint64_t n = 3000; n <= 5000; ++n) ASSERT_FALSE(window.accept(n)) << n;
}

}  // namespace
}  // namespace lockstep::clocksync
