#include "live/wire/channel.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <thread>

#include "base/clock_ns.h"

namespace lockstep::live {
namespace {

// Only bounds a hang; nothing here waits for it but the test that says so.
int64_t late() { return mono_now_ns() + 60'000'000'000; }

LiveKey key_of(uint8_t byte) {
  clocksync::SecretKey run_key;
  run_key.fill(byte);
  return *derive_live_key(run_key);
}

struct Pair {
  Pair() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0); }
  int ends[2] = {-1, -1};
};

// The other side may have ended the connection already, for what it was sent before.
void send_bytes(int fd, const std::string& bytes) {
  static_cast<void>(send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL));
}

// Exactly as many; fewer at the end of the connection.
std::string take_bytes(int fd, size_t count) {
  std::string bytes(count, '\0');
  size_t got = 0;
  while (got < count) {
    const ssize_t n = read(fd, bytes.data() + got, count - got);
    if (n <= 0) break;
    got += static_cast<size_t>(n);
  }
  bytes.resize(got);
  return bytes;
}

constexpr size_t kStreamHeader = 24;

std::string take_frame(int fd) {
  const std::string length = take_bytes(fd, 4);
  if (length.size() < 4) return {};
  size_t size = 0;
  for (const char byte : length) size = size << 8 | static_cast<uint8_t>(byte);
  return length + take_bytes(fd, size);
}

// An agent that sends three frames, and an asker, with somebody in between who hands the agent's frames
// on as `tamper` says. What the asker then receives: the frames' bytes, and at last the error.
std::vector<std::string> received_through(
    const std::function<std::vector<std::string>(std::vector<std::string>)>& tamper) {
  Pair near, far;
  std::thread agent([&] {
    Channel channel(far.ends[1], late());
    ASSERT_TRUE(channel.greet_as_agent(key_of(1)).ok());
    ASSERT_TRUE(channel.send(FrameType::Rows, "one").ok());
    ASSERT_TRUE(channel.send(FrameType::Rows, "two").ok());
    ASSERT_TRUE(channel.send(FrameType::End, "{}", true).ok());
  });
  std::thread between([&] {
    send_bytes(far.ends[0], take_bytes(near.ends[1], kClientHelloBytes));
    send_bytes(near.ends[1], take_bytes(far.ends[0], kServerHelloBytes));
    send_bytes(far.ends[0], take_bytes(near.ends[1], kStreamHeader));
    send_bytes(near.ends[1], take_bytes(far.ends[0], kStreamHeader));
    std::vector<std::string> frames;
    for (int i = 0; i < 3; ++i) frames.push_back(take_frame(far.ends[0]));
    for (const std::string& frame : tamper(frames)) send_bytes(near.ends[1], frame);
    close(near.ends[1]);
  });
  std::vector<std::string> received;
  {
    Channel asker(near.ends[0], late());
    EXPECT_TRUE(asker.greet_as_asker(key_of(1)).ok());
    while (true) {
      const Result<ChannelFrame> frame = asker.receive();
      received.push_back(frame.ok() ? frame.value().bytes : frame.message());
      if (!frame.ok()) break;
    }
  }
  between.join();
  agent.join();
  close(far.ends[0]);
  return received;
}

TEST(Channel, FramesArriveAsTheyWereSentAndTheLastOneEndsIt) {
  const auto received = received_through([](auto frames) { return frames; });
  EXPECT_EQ(received,
            (std::vector<std::string>{"one", "two", "{}", "the other side had ended already"}));
}

TEST(Channel, AChangedFrameEndsTheConnection) {
  const auto received = received_through([](auto frames) {
    frames[1].back() = static_cast<char>(frames[1].back() ^ 1);
    return frames;
  });
  EXPECT_EQ(received, (std::vector<std::string>{
                          "one", "a frame was changed, repeated or left out on its way"}));
}

TEST(Channel, ARepeatedFrameEndsTheConnection) {
  const auto received = received_through([](auto frames) {
    return std::vector<std::string>{frames[0], frames[0]};
  });
  EXPECT_EQ(received, (std::vector<std::string>{
                          "one", "a frame was changed, repeated or left out on its way"}));
}

TEST(Channel, AFrameThatWasLeftOutIsMissed) {
  const auto received = received_through([](auto frames) {
    return std::vector<std::string>{frames[0], frames[2]};
  });
  EXPECT_EQ(received, (std::vector<std::string>{
                          "one", "a frame was changed, repeated or left out on its way"}));
}

TEST(Channel, AnAnswerThatIsCutOffIsNoWholeOne) {
  const auto received = received_through([](auto frames) {
    return std::vector<std::string>{frames[0], frames[1].substr(0, 9)};
  });
  EXPECT_EQ(received, (std::vector<std::string>{"one", "the connection ended in the middle"}));
}

TEST(Channel, ALengthThatNoFrameHasIsNotWaitedFor) {
  const auto received = received_through(
      [](auto) { return std::vector<std::string>{std::string("\xff\xff\xff\xff", 4)}; });
  EXPECT_EQ(received, (std::vector<std::string>{"a frame has a length that none has"}));
}

TEST(Channel, AnotherKeyIsRefusedAndNamed) {
  Pair pair;
  std::thread agent([&] {
    Channel channel(pair.ends[1], late());
    EXPECT_FALSE(channel.greet_as_agent(key_of(1)).ok());
  });
  {
    Channel asker(pair.ends[0], late());
    const Status status = asker.greet_as_asker(key_of(2));
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.message(), "the agent there has another key; give the run's own with --key");
  }
  agent.join();
}

// What an agent hears of a connection that somebody recorded, when it is played to it.
TEST(Channel, ARecordedConnectionPlayedAgainIsNotUnderstood) {
  Pair near, far;
  std::string recorded;
  std::thread agent([&] {
    Channel channel(far.ends[1], late());
    ASSERT_TRUE(channel.greet_as_agent(key_of(1)).ok());
    const Result<ChannelFrame> question = channel.receive();
    ASSERT_TRUE(question.ok());
    EXPECT_EQ(question.value().bytes, "ctl events none");
  });
  std::thread between([&] {
    const auto pass_on = [&](const std::string& bytes) {
      recorded += bytes;
      send_bytes(far.ends[0], bytes);
    };
    pass_on(take_bytes(near.ends[1], kClientHelloBytes));
    send_bytes(near.ends[1], take_bytes(far.ends[0], kServerHelloBytes + kStreamHeader));
    pass_on(take_bytes(near.ends[1], kStreamHeader));
    pass_on(take_frame(near.ends[1]));
  });
  {
    Channel asker(near.ends[0], late());
    ASSERT_TRUE(asker.greet_as_asker(key_of(1)).ok());
    ASSERT_TRUE(asker.send(FrameType::Question, "ctl events none", true).ok());
    agent.join();
    between.join();
  }
  Pair again;
  send_bytes(again.ends[0], recorded);
  Channel channel(again.ends[1], late());
  ASSERT_TRUE(channel.greet_as_agent(key_of(1)).ok());  // the hello was a true one once
  const Result<ChannelFrame> question = channel.receive();
  ASSERT_FALSE(question.ok());
  EXPECT_EQ(question.message(), "a frame was changed, repeated or left out on its way");
  for (const int fd : {near.ends[1], far.ends[0], again.ends[0]}) close(fd);
}

TEST(Channel, NobodyWaitsBeyondTheDeadline) {
  Pair pair;
  Channel asker(pair.ends[0], mono_now_ns() + 20'000'000);
  const Status status = asker.greet_as_asker(key_of(1));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.message(), "no answer before the deadline");
  close(pair.ends[1]);
}

TEST(Channel, WithoutAGreetingFramesArePlain) {
  Pair pair;
  Channel one(pair.ends[0], late()), other(pair.ends[1], late());
  ASSERT_TRUE(one.send(FrameType::Question, "ps", true).ok());
  const Result<ChannelFrame> frame = other.receive();
  ASSERT_TRUE(frame.ok());
  EXPECT_EQ(frame.value().bytes, "ps");
}

TEST(Channel, MoreThanAFrameHoldsIsRefused) {
  Pair pair;
  Channel one(pair.ends[0], late());
  EXPECT_FALSE(one.send(FrameType::Rows, std::string(kMostFrameBytes + 1, 'x')).ok());
  close(pair.ends[1]);
}

}  // namespace
}  // namespace lockstep::live
