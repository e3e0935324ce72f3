#include "clocksync/wire/packet.h"

#include <gtest/gtest.h>

#include <vector>

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

ParseFault parse_fault(const std::vector<uint8_t>& bytes) {
  Packet packet;
  return parse(bytes.data(), bytes.size(), &packet);
}

std::vector<uint8_t> sample_bytes() {
  PacketBytes bytes;
  encode(sample(), &bytes);
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

}  // namespace
}  // namespace lockstep::clocksync
