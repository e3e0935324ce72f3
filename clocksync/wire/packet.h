// The one packet of the clock protocol: 96 bytes of UDP payload, big-endian, the same size for
// every type so that both directions take equally long on a wire. Bytes 80-95 are the
// authentication code (packet_auth.h). Used by the prober's thread. The parser is strict: whatever
// is not exactly a packet of this version is named and refused, and nothing in it is looked at
// further.
//
// The kernel's send stamp of a packet exists only after it left, so a later packet reports it:
// `report_sequence` and `report_raw_ns`. With kFlagReportsReception the report is about a packet of
// the *other* direction instead: when we received it. That is what lets one host bound the offset
// from both sides by itself, about once a second.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "lockstep/clock_record.h"

namespace lockstep::clocksync {

constexpr uint32_t kPacketMagic = 0x4e435350;  // "NCSP"
constexpr size_t kPacketBytes = 96;
constexpr size_t kPacketMacOffset = 80;
constexpr size_t kPacketMacBytes = 16;
constexpr uint8_t kPacketVersion = 1;
constexpr uint8_t kMaxTrainLength = 16;

using PacketBytes = std::array<uint8_t, kPacketBytes>;

enum class PacketType : uint8_t { Probe = 1, Hello = 2, HelloAck = 3, Bye = 4 };

constexpr uint16_t kFlagKernelStamps = 1u << 0;
constexpr uint16_t kFlagHardwareStamps = 1u << 1;
constexpr uint16_t kFlagLastOfTrain = 1u << 2;
constexpr uint16_t kFlagWantsFaster = 1u << 3;
constexpr uint16_t kFlagSecondPath = 1u << 4;
constexpr uint16_t kFlagReportsReception = 1u << 5;
constexpr uint16_t kKnownFlags = (1u << 6) - 1;

struct Packet {
  PacketType type = PacketType::Probe;
  uint16_t flags = 0;
  uint64_t job_hash = 0;
  uint32_t source_id = 0;
  uint32_t destination_id = 0;
  uint64_t source_nonce = 0;
  uint64_t sequence = 0;
  uint32_t train = 0;
  uint8_t train_index = 0;
  uint8_t train_length = 1;
  uint16_t spacing_us = 0;
  // Of a Hello: the nonce of the other side as far as known; of a HelloAck: the nonce it answers.
  uint64_t report_sequence = 0;
  int64_t report_raw_ns = 0;
  StampKind report_kind = StampKind::None;
  uint16_t report_uncertainty_ns = 0;
  uint32_t highest_received = 0;
  // Read before the packet is sent: early by about a microsecond, never late.
  int64_t sent_raw_ns = 0;
};

enum class ParseFault : uint8_t { None, Truncated, Oversized, BadMagic, BadVersion, BadField };

// Writes bytes 0-79; the authentication code stays zero until seal() of packet_auth.h.
void encode(const Packet& packet, PacketBytes* bytes);

// Reads a datagram of any size. The authentication code is not checked here.
ParseFault parse(const uint8_t* data, size_t size_bytes, Packet* packet);

}  // namespace lockstep::clocksync
