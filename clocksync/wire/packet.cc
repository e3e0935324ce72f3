#include "clocksync/wire/packet.h"

#include <cstring>

namespace lockstep::clocksync {
namespace {

template <typename T>
void put(PacketBytes* bytes, size_t offset, T value) {
  for (size_t i = 0; i < sizeof(T); ++i) {
    (*bytes)[offset + i] =
        static_cast<uint8_t>(static_cast<uint64_t>(value) >> (8 * (sizeof(T) - 1 - i)));
  }
}

template <typename T>
T get(const uint8_t* data, size_t offset) {
  uint64_t value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) value = value << 8 | data[offset + i];
  return static_cast<T>(value);
}

bool fields_are_possible(const uint8_t* data) {
  const auto type = get<uint8_t>(data, 5);
  const auto flags = get<uint16_t>(data, 6);
  const auto index = get<uint8_t>(data, 44);
  const auto length = get<uint8_t>(data, 45);
  const auto kind = get<uint8_t>(data, 64);
  const auto reserved = get<uint8_t>(data, 65);
  return type >= 1 && type <= 4 && (flags & ~kKnownFlags) == 0 && length >= 1 &&
         length <= kMaxTrainLength && index < length && kind <= 3 && reserved == 0;
}

}  // namespace

void encode(const Packet& packet, PacketBytes* bytes) {
  bytes->fill(0);
  put(bytes, 0, kPacketMagic);
  put(bytes, 4, kPacketVersion);
  put(bytes, 5, static_cast<uint8_t>(packet.type));
  put(bytes, 6, packet.flags);
  put(bytes, 8, packet.job_hash);
  put(bytes, 16, packet.source_id);
  put(bytes, 20, packet.destination_id);
  put(bytes, 24, packet.source_nonce);
  put(bytes, 32, packet.sequence);
  put(bytes, 40, packet.train);
  put(bytes, 44, packet.train_index);
  put(bytes, 45, packet.train_length);
  put(bytes, 46, packet.spacing_us);
  put(bytes, 48, packet.report_sequence);
  put(bytes, 56, packet.report_raw_ns);
  put(bytes, 64, static_cast<uint8_t>(packet.report_kind));
  put(bytes, 66, packet.report_uncertainty_ns);
  put(bytes, 68, packet.highest_received);
  put(bytes, 72, packet.sent_raw_ns);
}

ParseFault parse(const uint8_t* data, size_t size_bytes, Packet* packet) {
  if (size_bytes < kPacketBytes) return ParseFault::Truncated;
  if (size_bytes > kPacketBytes) return ParseFault::Oversized;
  if (get<uint32_t>(data, 0) != kPacketMagic) return ParseFault::BadMagic;
  if (get<uint8_t>(data, 4) != kPacketVersion) return ParseFault::BadVersion;
  if (!fields_are_possible(data)) return ParseFault::BadField;
  packet->type = static_cast<PacketType>(get<uint8_t>(data, 5));
  packet->flags = get<uint16_t>(data, 6);
  packet->job_hash = get<uint64_t>(data, 8);
  packet->source_id = get<uint32_t>(data, 16);
  packet->destination_id = get<uint32_t>(data, 20);
  packet->source_nonce = get<uint64_t>(data, 24);
  packet->sequence = get<uint64_t>(data, 32);
  packet->train = get<uint32_t>(data, 40);
  packet->train_index = get<uint8_t>(data, 44);
  packet->train_length = get<uint8_t>(data, 45);
  packet->spacing_us = get<uint16_t>(data, 46);
  packet->report_sequence = get<uint64_t>(data, 48);
  packet->report_raw_ns = get<int64_t>(data, 56);
  packet->report_kind = static_cast<StampKind>(get<uint8_t>(data, 64));
  packet->report_uncertainty_ns = get<uint16_t>(data, 66);
  packet->highest_received = get<uint32_t>(data, 68);
  packet->sent_raw_ns = get<int64_t>(data, 72);
  return ParseFault::None;
}

}  // namespace lockstep::clocksync
