#include "clocksync/wire/packet.h"

#include <gtest/gtest.h>

#include "clocksync/wire/packet_auth.h"

namespace lockstep::clocksync {
namespace {

Packet sample() {
  Packet packet;
  packet.type = PacketType::Probe;
  packet.flags = kFlagKernelStamps | kFlagLastOfTrain;
  packet.job_hash = 0x0102030405060708;
  packet.source_id = 0xa1a2a3a4;
  packet.destination_id = 0xb1b2b3b4;
  packet.source_nonce = 0xc1c2c3c4c5c6c7c8;
  packet.sequence = 77;
  packet.train = 9;
  packet.train_index = 2;
  packet.train_length = 3;
  packet.spacing_us = 20;
  packet.report_sequence = 74;
  packet.report_raw_ns = -5;
  packet.report_kind = StampKind::Kernel;
  packet.report_uncertainty_ns = 41;
  packet.highest_received = 70;
  packet.sent_raw_ns = 1'234'567'890'123;
  return packet;
}

PacketBytes sealed(const Packet& packet, const SecretKey& key) {
  PacketBytes bytes;
  encode(packet, &bytes);
  seal(key, &bytes);
  return bytes;
}

ParseFault parse_fault(const std::vector<uint8_t>& bytes) {
  Packet packet;
  return parse(bytes.data(), bytes.size(), &packet);
}

std::vector<uint8_t> sample_bytes() {
  const PacketBytes bytes = sealed(sample(), SecretKey{});
  return {bytes.begin(), bytes.end()};
}

TEST(Packet, KeepsEveryFieldOverTheWire) {
  PacketBytes bytes;
  encode(sample(), &bytes);
  Packet read;
  ASSERT_EQ(parse(bytes.data(), bytes.size(), &read), ParseFault::None);
  PacketBytes again;
  encode(read, &again);
  EXPECT_EQ(bytes, again);
  EXPECT_EQ(read.sent_raw_ns, 1'234'567'890'123);
  EXPECT_EQ(read.report_raw_ns, -5);
  EXPECT_EQ(read.report_kind, StampKind::Kernel);
}

TEST(Packet, HasTheLayoutOfTheProtocolPage) {
  const std::vector<uint8_t> bytes = sample_bytes();
  EXPECT_EQ(std::string(bytes.begin(), bytes.begin() + 4), "NCSP");
  EXPECT_EQ(bytes[4], 1);
  EXPECT_EQ(bytes[5], 1);
  EXPECT_EQ(bytes[8], 0x01);
  EXPECT_EQ(bytes[16], 0xa1);
  EXPECT_EQ(bytes[20], 0xb1);
  EXPECT_EQ(bytes[24], 0xc1);
  EXPECT_EQ(bytes[39], 77);
  EXPECT_EQ(bytes[44], 2);
  EXPECT_EQ(bytes[45], 3);
  EXPECT_EQ(bytes[64], 2);
  EXPECT_EQ(bytes[67], 41);
}

TEST(Packet, RefusesEveryOtherSize) {
  const std::vector<uint8_t> whole = sample_bytes();
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(parse_fault({whole.begin(), whole.begin() + static_cast<long>(size)}),
              ParseFault::Truncated);
  }
  std::vector<uint8_t> longer = whole;
  longer.push_back(0);
  EXPECT_EQ(parse_fault(longer), ParseFault::Oversized);
}

TEST(Packet, RefusesWhatItDoesNotKnow) {
  const auto with = [](size_t offset, uint8_t value) {
    std::vector<uint8_t> bytes = sample_bytes();
    bytes[offset] = value;
    return parse_fault(bytes);
  };
  EXPECT_EQ(with(0, 'X'), ParseFault::BadMagic);
  EXPECT_EQ(with(4, 2), ParseFault::BadVersion);
  EXPECT_EQ(with(4, 0), ParseFault::BadVersion);
  EXPECT_EQ(with(5, 0), ParseFault::BadField);
  EXPECT_EQ(with(5, 5), ParseFault::BadField);
  EXPECT_EQ(with(6, 0x80), ParseFault::BadField);
  EXPECT_EQ(with(44, 3), ParseFault::BadField);  // index beyond the train
  EXPECT_EQ(with(45, 0), ParseFault::BadField);
  EXPECT_EQ(with(45, 17), ParseFault::BadField);
  EXPECT_EQ(with(64, 4), ParseFault::BadField);  // kind of stamp
  EXPECT_EQ(with(65, 1), ParseFault::BadField);  // reserved
}

TEST(PacketAuth, NoticesEveryChangedBit) {
  ASSERT_TRUE(crypto_ready());
  SecretKey key{};
  key[5] = 9;
  const PacketBytes good = sealed(sample(), key);
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
