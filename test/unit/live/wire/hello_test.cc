#include "live/wire/hello.h"

#include <gtest/gtest.h>

#include "clocksync/wire/packet_auth.h"

namespace lockstep::live {
namespace {

clocksync::SecretKey secret(uint8_t byte) {
  clocksync::SecretKey key;
  key.fill(byte);
  return key;
}

TEST(Hello, NothingIsComputedWithTheRunsKeyItself) {
  const LiveKey key = *derive_live_key(secret(1));
  EXPECT_NE(key.prove, secret(1));
  EXPECT_NE(key.session, secret(1));
  EXPECT_NE(key.prove, key.session);
}

TEST(Hello, TheKeysNameTellsKeysApartAndIsTheSameEverywhere) {
  EXPECT_EQ(key_name(*derive_live_key(secret(1))), key_name(*derive_live_key(secret(1))));
  EXPECT_NE(key_name(*derive_live_key(secret(1))), key_name(*derive_live_key(secret(2))));
}

TEST(Hello, BothHellosComeBackAsTheyWere) {
  const LiveKey key = *derive_live_key(secret(1));
  ClientHello asked;
  asked.lowest_version = 3;
  asked.highest_version = 9;
  asked.public_key = new_key_pair().open;
  const std::string client = client_hello(key, asked);
  const auto back = parse_client_hello(client);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->lowest_version, 3);
  EXPECT_EQ(back->highest_version, 9);
  EXPECT_EQ(back->public_key, asked.public_key);
  ServerHello answered;
  answered.verdict = Verdict::OtherVersion;
  const auto there = parse_server_hello(server_hello(key, answered, client));
  ASSERT_TRUE(there);
  EXPECT_EQ(there->verdict, Verdict::OtherVersion);
}

TEST(Hello, AHelloOfAnotherLengthOrWordIsNone) {
  const LiveKey key = *derive_live_key(secret(1));
  std::string client = client_hello(key, {});
  EXPECT_FALSE(parse_client_hello(client + "x"));
  EXPECT_FALSE(parse_client_hello(client.substr(1)));
  EXPECT_FALSE(parse_client_hello(""));
  client[0] = 'X';
  EXPECT_FALSE(parse_client_hello(client));
}

TEST(Hello, OnlyWhoHasTheKeyCanProveIt) {
  const LiveKey key = *derive_live_key(secret(1)), other = *derive_live_key(secret(2));
  std::string client = client_hello(key, {});
  EXPECT_TRUE(is_proved(key, client));
  EXPECT_FALSE(is_proved(other, client));
  client[30] = static_cast<char>(client[30] ^ 1);
  EXPECT_FALSE(is_proved(key, client));
}

// Else one welcome, recorded, would do for every asker.
TEST(Hello, AWelcomeIsGoodForOneAskersHelloOnly) {
  const LiveKey key = *derive_live_key(secret(1));
  ClientHello first, second;
  first.public_key = new_key_pair().open;
  second.public_key = new_key_pair().open;
  const std::string server = server_hello(key, {}, client_hello(key, first));
  EXPECT_TRUE(is_proved(key, server, client_hello(key, first)));
  EXPECT_FALSE(is_proved(key, server, client_hello(key, second)));
}

TEST(Hello, BothSidesComeToTheSameKeysAndEachDirectionHasItsOwn) {
  const LiveKey key = *derive_live_key(secret(1));
  const KeyPair asker = new_key_pair(), agent = new_key_pair();
  const auto one = session_keys(key, asker, agent.open, "client", "server");
  const auto other = session_keys(key, agent, asker.open, "client", "server");
  ASSERT_TRUE(one && other);
  EXPECT_EQ(one->to_server, other->to_server);
  EXPECT_EQ(one->to_client, other->to_client);
  EXPECT_NE(one->to_server, one->to_client);
}

TEST(Hello, WhoLacksTheRunsKeyComesToOtherKeys) {
  const KeyPair asker = new_key_pair(), agent = new_key_pair();
  const auto one = session_keys(*derive_live_key(secret(1)), asker, agent.open, "c", "s");
  const auto other = session_keys(*derive_live_key(secret(2)), agent, asker.open, "c", "s");
  ASSERT_TRUE(one && other);
  EXPECT_NE(one->to_server, other->to_server);
}

// A public key of small order would make the product known to everybody.
TEST(Hello, APublicKeyOfZerosIsNone) {
  EXPECT_FALSE(session_keys(*derive_live_key(secret(1)), new_key_pair(), Key{}, "c", "s"));
}

}  // namespace
}  // namespace lockstep::live
