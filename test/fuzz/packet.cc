// The parser of clock packets: datagrams of any size from anybody. What it accepts must be exactly
// what encode() makes of it; the replay window takes each number once.
#include "clocksync/wire/packet.h"

#include <cstring>

#include "clocksync/wire/packet_auth.h"

using namespace lockstep::clocksync;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ReplayWindow window;
  for (size_t at = 0; at < size; at += kPacketBytes) {
    Packet packet;
    const size_t left = size - at;
    const bool last = left < 2 * kPacketBytes;
    if (parse(data + at, last ? left : kPacketBytes, &packet) != ParseFault::None) continue;
    PacketBytes bytes;
    encode(packet, &bytes);
    if (std::memcmp(bytes.data(), data + at, kPacketMacOffset) != 0) __builtin_trap();
    static_cast<void>(authentic(SecretKey{}, data + at));
    window.accept(packet.sequence);
    if (window.accept(packet.sequence)) __builtin_trap();
  }
  return 0;
}
