// The first message of each side of a connection between asker and agent over TCP, and the keys that
// follow from both (docs/live-protocol.md). Each side proves that it has the run's key, and sends an
// X25519 key made for this connection alone: what was sent before says nothing about this connection,
// and who learns the run's key later cannot read it. Parsers take bytes from anybody. No thread, no
// socket.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "clocksync/wire/packet_auth.h"

namespace lockstep::live {

constexpr uint16_t kProtocolVersion = 1;  // raised when an older side would misread what is sent

using Key = std::array<uint8_t, 32>;

// What is derived from the run's key for this protocol, and for nothing else.
struct LiveKey {
  Key prove{};                    // authenticates hellos
  Key session{};                  // is mixed into each connection's keys
  std::array<uint8_t, 8> name{};  // no secret: tells one run's key from another's
};
// False in front of it: no random numbers, do not talk.
std::optional<LiveKey> derive_live_key(const clocksync::SecretKey& run_key);
std::string key_name(const LiveKey& key);  // the name in hexadecimal

constexpr size_t kClientHelloBytes = 84, kServerHelloBytes = 76;

struct ClientHello {
  uint16_t lowest_version = kProtocolVersion, highest_version = kProtocolVersion;
  std::array<uint8_t, 8> key_name{};
  Key public_key{};
};
enum class Verdict : uint16_t { Welcome = 0, OtherVersion = 1, OtherKey = 2 };
struct ServerHello {
  uint16_t version = kProtocolVersion;  // the one that both speak; of OtherVersion, the server's
  Verdict verdict = Verdict::Welcome;
  Key public_key{};
};

// One side's key pair for one connection.
struct KeyPair {
  Key secret{}, open{};
};
KeyPair new_key_pair();

std::string client_hello(const LiveKey& key, const ClientHello& hello);
// `client` is the client's hello as it came; the proof covers both.
std::string server_hello(const LiveKey& key, const ServerHello& hello, std::string_view client);

// Shape alone; nothing for other bytes.
std::optional<ClientHello> parse_client_hello(std::string_view bytes);
std::optional<ServerHello> parse_server_hello(std::string_view bytes);
// Whether its sender has the key.
bool is_proved(const LiveKey& key, std::string_view client);
bool is_proved(const LiveKey& key, std::string_view server, std::string_view client);

struct SessionKeys {
  Key to_server{}, to_client{};
};
// Of a connection, from both hellos as they were sent. Nothing for a public key that is no key.
std::optional<SessionKeys> session_keys(const LiveKey& key, const KeyPair& mine, const Key& theirs,
                                        std::string_view client, std::string_view server);

}  // namespace lockstep::live
