#include "clocksync/wire/packet_auth.h"

#include <sodium.h>

#include <cstring>

namespace lockstep::clocksync {
namespace {

constexpr unsigned char kNameHashKey[crypto_shorthash_KEYBYTES] = {'l', 'o', 'c', 'k',
                                                                   's', 't', 'e', 'p'};

void append_u64(uint64_t value, std::array<uint8_t, 32>* bytes, size_t offset) {
  for (size_t i = 0; i < 8; ++i) (*bytes)[offset + i] = static_cast<uint8_t>(value >> (56 - 8 * i));
}

void mac(const SecretKey& key, const uint8_t* data, uint8_t out[crypto_auth_hmacsha256_BYTES]) {
  crypto_auth_hmacsha256(out, data, kPacketMacOffset, key.data());
}

}  // namespace

bool crypto_ready() { return sodium_init() >= 0; }

uint64_t name_hash(const std::string& text) {
  unsigned char out[crypto_shorthash_BYTES];
  crypto_shorthash(out, reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                   kNameHashKey);
  uint64_t value = 0;
  for (unsigned char byte : out) value = value << 8 | byte;
  return value;
}

uint32_t host_id_of(const std::string& host_name) {
  const auto id = static_cast<uint32_t>(name_hash(host_name));
  return id == 0 ? 1 : id;
}

SecretKey direction_key(const SecretKey& job_secret, uint32_t source_id, uint32_t destination_id,
                        uint64_t source_nonce, uint64_t destination_nonce) {
  std::array<uint8_t, 32> input{};
  std::memcpy(input.data(), "lockstep", 8);
  append_u64(uint64_t{source_id} << 32 | destination_id, &input, 8);
  append_u64(source_nonce, &input, 16);
  append_u64(destination_nonce, &input, 24);
  SecretKey key;
  crypto_auth_hmacsha256(key.data(), input.data(), input.size(), job_secret.data());
  return key;
}

SecretKey interface_secret(const SecretKey& job_secret, const std::string& interface) {
  if (interface.empty()) return job_secret;
  SecretKey key;
  crypto_auth_hmacsha256(key.data(), reinterpret_cast<const uint8_t*>(interface.data()),
                         interface.size(), job_secret.data());
  return key;
}

void seal(const SecretKey& key, PacketBytes* bytes) {
  uint8_t full[crypto_auth_hmacsha256_BYTES];
  mac(key, bytes->data(), full);
  std::memcpy(bytes->data() + kPacketMacOffset, full, kPacketMacBytes);
}

bool authentic(const SecretKey& key, const uint8_t* packet_bytes) {
  uint8_t full[crypto_auth_hmacsha256_BYTES];
  mac(key, packet_bytes, full);
  return sodium_memcmp(full, packet_bytes + kPacketMacOffset, kPacketMacBytes) == 0;
}

std::string line_code(const SecretKey& job_secret, const std::string& line) {
  uint8_t full[crypto_auth_hmacsha256_BYTES];
  crypto_auth_hmacsha256(full, reinterpret_cast<const uint8_t*>(line.data()), line.size(),
                         job_secret.data());
  char hex[2 * kPacketMacBytes + 1];
  sodium_bin2hex(hex, sizeof hex, full, kPacketMacBytes);
  return hex;
}

bool ReplayWindow::accept(uint64_t sequence) {
  if (accepted_ == 0 || sequence > highest_) {
    const uint64_t ahead = accepted_ == 0 ? kBits : sequence - highest_;
    if (ahead >= kBits) {
      seen_.reset();
    } else {
      for (uint64_t i = 1; i <= ahead; ++i) seen_.reset((highest_ + i) % kBits);
    }
    highest_ = sequence;
  } else if (highest_ - sequence >= kBits || seen_.test(sequence % kBits)) {
    return false;
  }
  seen_.set(sequence % kBits);
  ++accepted_;
  return true;
}

}  // namespace lockstep::clocksync
