#include "live/wire/hello.h"

#include <sodium.h>

#include <cstring>

namespace lockstep::live {
namespace {

constexpr char kMagic[] = "LKSLIVE1";
constexpr size_t kMagicBytes = 8, kProofBytes = 32;
// The context keeps these keys apart from the clock's, which come from the same file.
constexpr char kContext[crypto_kdf_CONTEXTBYTES + 1] = "lkslive1";
enum SubKey : uint64_t { kProve = 1, kSession = 2, kName = 3 };
static_assert(sizeof(Key) == crypto_kdf_KEYBYTES);
static_assert(sizeof(Key) == crypto_scalarmult_BYTES);

void put_u16(std::string* out, uint16_t value) {
  *out += static_cast<char>(value >> 8);
  *out += static_cast<char>(value & 0xff);
}
uint16_t u16_at(std::string_view bytes, size_t at) {
  return static_cast<uint16_t>(static_cast<uint8_t>(bytes[at]) << 8 |
                               static_cast<uint8_t>(bytes[at + 1]));
}
template <size_t N>
void put(std::string* out, const std::array<uint8_t, N>& bytes) {
  out->append(reinterpret_cast<const char*>(bytes.data()), N);
}
template <size_t N>
void take(std::string_view bytes, size_t at, std::array<uint8_t, N>* out) {
  std::memcpy(out->data(), bytes.data() + at, N);
}

std::string proof(const LiveKey& key, std::string_view first, std::string_view second) {
  crypto_generichash_state state;
  crypto_generichash_init(&state, key.prove.data(), key.prove.size(), kProofBytes);
  for (const std::string_view part : {first, second}) {
    crypto_generichash_update(&state, reinterpret_cast<const uint8_t*>(part.data()), part.size());
  }
  uint8_t code[kProofBytes];
  crypto_generichash_final(&state, code, sizeof code);
  return std::string(reinterpret_cast<const char*>(code), sizeof code);
}

bool ends_with_proof(std::string_view bytes, const std::string& expected) {
  return bytes.size() > kProofBytes && sodium_memcmp(bytes.data() + bytes.size() - kProofBytes,
                                                     expected.data(), kProofBytes) == 0;
}
std::string_view without_proof(std::string_view bytes) {
  return bytes.substr(0, bytes.size() - kProofBytes);
}
bool has_shape(std::string_view bytes, size_t size) {
  return bytes.size() == size && bytes.substr(0, kMagicBytes) == kMagic;
}

}  // namespace

std::optional<LiveKey> derive_live_key(const clocksync::SecretKey& run_key) {
  if (!clocksync::crypto_ready()) return std::nullopt;
  LiveKey key;
  Key name;
  crypto_kdf_derive_from_key(key.prove.data(), key.prove.size(), kProve, kContext, run_key.data());
  crypto_kdf_derive_from_key(key.session.data(), key.session.size(), kSession, kContext,
                             run_key.data());
  crypto_kdf_derive_from_key(name.data(), name.size(), kName, kContext, run_key.data());
  std::memcpy(key.name.data(), name.data(), key.name.size());
  return key;
}

std::string key_name(const LiveKey& key) {
  char hex[2 * sizeof key.name + 1];
  sodium_bin2hex(hex, sizeof hex, key.name.data(), key.name.size());
  return hex;
}

KeyPair new_key_pair() {
  KeyPair pair;
  randombytes_buf(pair.secret.data(), pair.secret.size());
  crypto_scalarmult_base(pair.open.data(), pair.secret.data());
  return pair;
}

std::string client_hello(const LiveKey& key, const ClientHello& hello) {
  std::string bytes = kMagic;
  put_u16(&bytes, hello.lowest_version);
  put_u16(&bytes, hello.highest_version);
  put(&bytes, hello.key_name);
  put(&bytes, hello.public_key);
  return bytes + proof(key, bytes, "");
}

std::string server_hello(const LiveKey& key, const ServerHello& hello, std::string_view client) {
  std::string bytes = kMagic;
  put_u16(&bytes, hello.version);
  put_u16(&bytes, static_cast<uint16_t>(hello.verdict));
  put(&bytes, hello.public_key);
  return bytes + proof(key, client, bytes);
}

std::optional<ClientHello> parse_client_hello(std::string_view bytes) {
  if (!has_shape(bytes, kClientHelloBytes)) return std::nullopt;
  ClientHello hello;
  hello.lowest_version = u16_at(bytes, 8);
  hello.highest_version = u16_at(bytes, 10);
  take(bytes, 12, &hello.key_name);
  take(bytes, 20, &hello.public_key);
  return hello;
}

std::optional<ServerHello> parse_server_hello(std::string_view bytes) {
  if (!has_shape(bytes, kServerHelloBytes)) return std::nullopt;
  const uint16_t verdict = u16_at(bytes, 10);
  if (verdict > static_cast<uint16_t>(Verdict::OtherKey)) return std::nullopt;
  ServerHello hello;
  hello.version = u16_at(bytes, 8);
  hello.verdict = static_cast<Verdict>(verdict);
  take(bytes, 12, &hello.public_key);
  return hello;
}

bool is_proved(const LiveKey& key, std::string_view client) {
  return client.size() == kClientHelloBytes &&
         ends_with_proof(client, proof(key, without_proof(client), ""));
}

bool is_proved(const LiveKey& key, std::string_view server, std::string_view client) {
  return server.size() == kServerHelloBytes &&
         ends_with_proof(server, proof(key, client, without_proof(server)));
}

std::optional<SessionKeys> session_keys(const LiveKey& key, const KeyPair& mine, const Key& theirs,
                                        std::string_view client, std::string_view server) {
  Key shared;
  if (crypto_scalarmult(shared.data(), mine.secret.data(), theirs.data()) != 0) return std::nullopt;
  SessionKeys keys;
  uint8_t both[2 * sizeof(Key)];
  crypto_generichash_state state;
  crypto_generichash_init(&state, key.session.data(), key.session.size(), sizeof both);
  crypto_generichash_update(&state, shared.data(), shared.size());
  for (const std::string_view part : {client, server}) {
    crypto_generichash_update(&state, reinterpret_cast<const uint8_t*>(part.data()), part.size());
  }
  crypto_generichash_final(&state, both, sizeof both);
  std::memcpy(keys.to_server.data(), both, sizeof(Key));
  std::memcpy(keys.to_client.data(), both + sizeof(Key), sizeof(Key));
  sodium_memzero(shared.data(), shared.size());
  sodium_memzero(both, sizeof both);
  return keys;
}

}  // namespace lockstep::live
