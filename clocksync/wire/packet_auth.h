// Keys and authentication codes of the clock protocol: HMAC-SHA-256 cut to 128 bits, a key of its
// own for each direction and session, and a sliding window of 1024 sequence numbers against
// replays. Used by the prober's thread. Without a shared secret the same code runs with a key made
// of zeros: then the code only finds damage, not forgery, and the prober must stay on loopback (see
// clock_sync.h).
//
// A delay attacker is outside of what any code can stop: holding packets back only adds delay,
// which the interval survives; it can make the interval wide and, by delaying one direction, move
// the estimate inside it.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>

#include "clocksync/wire/packet.h"

namespace lockstep::clocksync {

using SecretKey = std::array<uint8_t, 32>;

// Prepares libsodium; safe to call often and from any thread. False: no random numbers, do not
// probe.
bool crypto_ready();

// A short hash, equal on all hosts; for names (job, host), not for secrets.
uint64_t name_hash(const std::string& text);
uint32_t host_id_of(const std::string& host_name);

// The key of packets from source to destination. Hellos come before both nonces are known: pass 0,
// 0.
SecretKey direction_key(const SecretKey& job_secret, uint32_t source_id, uint32_t destination_id,
                        uint64_t source_nonce, uint64_t destination_nonce);

// The secret of the edges over one interface, so that no packet of one edge passes on another. The
// empty name, of the first interface, keeps the job's own.
SecretKey interface_secret(const SecretKey& job_secret, const std::string& interface);

// Writes bytes 80-95 from bytes 0-79.
void seal(const SecretKey& key, PacketBytes* bytes);
bool authentic(const SecretKey& key, const uint8_t* packet_bytes);

// The code of a text line (rendezvous over TCP), in hexadecimal.
std::string line_code(const SecretKey& job_secret, const std::string& line);

// Accepts each sequence number once. Numbers more than 1023 below the highest are refused.
class ReplayWindow {
 public:
  // True, and remembered, when the number was not seen before.
  bool accept(uint64_t sequence);
  uint64_t highest() const { return highest_; }
  uint64_t accepted() const { return accepted_; }

 private:
  static constexpr uint64_t kBits = 1024;
  std::bitset<kBits> seen_;
  uint64_t highest_ = 0;
  uint64_t accepted_ = 0;
};

}  // namespace lockstep::clocksync
