#include "live/agent/relay.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <thread>

#include "base/clock_ns.h"
#include "live/agent/asker_session.h"
#include "live/asker/ask_all.h"
#include "live/asker/relay_groups.h"

namespace lockstep::live {
namespace {

std::atomic<int> questions_heard{0};

// What each agent says: a row and two chunks of a part.
Result<HostAnswer> canned(const HostContext&, const Question& question, PartSink* parts) {
  ++questions_heard;
  if (question.word != "canned") return Status::error("another word: " + question.word);
  if (!parts->put("run/a.lks", "one") || !parts->put("run/a.lks", "two"))
    return Status::error("nobody takes the parts");
  HostAnswer answer;
  answer.rows = R"([{"said":")" + question.arguments + R"("}])";
  answer.oldest_data_ns = 7;
  answer.failed = {"process 1: silent"};
  return answer;
}

// Agents of all hosts at one address: which host they are does not matter here.
class Agents {
 public:
  explicit Agents(const LiveKey& key) : key_(key) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(listener_, 1024), 0);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~Agents() {
    stop_ = true;
    thread_.join();
    while (sessions_ > 0) usleep(1000);
    close(listener_);
  }
  uint16_t port() const { return port_; }

 private:
  void serve() {
    while (!stop_) {
      pollfd event{listener_, POLLIN, 0};
      if (poll(&event, 1, 20) <= 0) continue;
      const int fd = accept(listener_, nullptr, nullptr);
      if (fd < 0) continue;
      ++sessions_;
      std::thread([this, fd] {
        SessionTerms terms;
        terms.host = "n";
        terms.key = &key_;
        terms.answer = canned;
        terms.greeting_ns = 60'000'000'000;  // however busy the machine is
        answer_asker(fd, terms);
        --sessions_;
      }).detach();
    }
  }

  LiveKey key_;
  int listener_ = -1;
  uint16_t port_ = 0;
  std::atomic<bool> stop_{false};
  std::atomic<int> sessions_{0};
  std::thread thread_;
};

class Collected final : public PartTaker {
 public:
  bool take(const std::string& host, const std::string& name, std::string_view bytes) override {
    parts[host + " " + name] += bytes;
    return true;
  }
  std::map<std::string, std::string> parts;
};

Targets agents_at(uint16_t port, size_t count, const LiveKey& key) {
  Targets targets;
  targets.key = key;
  for (size_t i = 0; i < count; ++i) {
    Target target;
    target.host = "n" + std::to_string(i);
    target.way = Target::Way::Agent;
    target.agent.address = "127.0.0.1";
    target.agent.port = port;
    targets.hosts.push_back(target);
  }
  return targets;
}

AskTerms patient() {
  AskTerms terms;
  terms.deadline_ns = mono_now_ns() + 120'000'000'000;  // only bounds a hang
  return terms;
}

class Relay : public ::testing::Test {
 protected:
  const LiveKey key_ = *derive_live_key(clocksync::SecretKey{});
  Agents agents_{key_};
};

TEST_F(Relay, SixHundredAgentsAnswerThroughSomeOfThemAsEachWouldByItself) {
  questions_heard = 0;
  Collected parts;
  const Targets targets = agents_at(agents_.port(), 600, key_);
  EXPECT_EQ(group_targets(targets.hosts, kMostFlat).size(), 24u);
  const Answers answers = ask_all(targets, {"canned", "x", "me@n"}, patient(), &parts);
  EXPECT_EQ(answers.hosts_asked, 600u);
  EXPECT_EQ(answers.hosts_answered, 600u);
  EXPECT_EQ(answers.failed.size(), 600u);  // one process of each
  EXPECT_EQ(answers.oldest_data_ns, 7);
  EXPECT_EQ(questions_heard, 600);
  ASSERT_EQ(answers.hosts.size(), 600u);
  EXPECT_EQ(answers.hosts[599].host, "n599");
  EXPECT_EQ(answers.hosts[599].rows, R"([{"said":"x"}])");
  EXPECT_EQ(parts.parts.size(), 600u);
  EXPECT_EQ(parts.parts["n17 run/a.lks"], "onetwo");
  EXPECT_GE(answers.bytes, 600u * 6);
}

// The first of a group relays: its place, and no other host's answer, is lost with it.
TEST_F(Relay, WhenARelayIsGoneItsGroupIsAskedDirectly) {
  Collected parts;
  Targets targets = agents_at(agents_.port(), 600, key_);
  const int unused = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);  // bound, and nobody listens
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(bind(unused, reinterpret_cast<sockaddr*>(&address), size), 0);
  getsockname(unused, reinterpret_cast<sockaddr*>(&address), &size);
  targets.hosts[0].agent.port = ntohs(address.sin_port);
  const Answers answers = ask_all(targets, {"canned", "x", "me@n"}, patient(), &parts);
  EXPECT_EQ(answers.hosts_answered, 599u);
  EXPECT_EQ(answers.failed[0].host, "n0");
  EXPECT_NE(answers.failed[0].reason.find("nobody listens"), std::string::npos);
  close(unused);
}

TEST_F(Relay, AFewAgentsAreAskedEachByItself) {
  const Targets targets = agents_at(agents_.port(), 20, key_);
  EXPECT_EQ(group_targets(targets.hosts, kMostFlat).size(), 20u);
  Collected parts;
  EXPECT_EQ(ask_all(targets, {"canned", "x", ""}, patient(), &parts).hosts_answered, 20u);
}

TEST_F(Relay, MoreBytesThanWereAskedForEndTheAnswer) {
  AskTerms terms = patient();
  terms.max_bytes = 5;
  Collected parts;
  const Answers answers =
      ask_all(agents_at(agents_.port(), 1, key_), {"canned", "x", ""}, terms, &parts);
  EXPECT_EQ(answers.hosts_answered, 0u);
}

TEST(RelayGroups, NonsenseIsNoRelay) {
  EXPECT_FALSE(parse_relay_arguments({"relay", "{}", ""}).ok());
  EXPECT_FALSE(parse_relay_arguments({"relay", R"({"targets":[{"host":"n"}]})", ""}).ok());
  EXPECT_FALSE(parse_relay_rows("[]", 1).ok());
  EXPECT_FALSE(parse_relay_rows("{}", 0).ok());
  EXPECT_FALSE(parse_relay_part("7/a", 7));
  EXPECT_FALSE(parse_relay_part("a", 7));
  EXPECT_FALSE(parse_relay_part("-1/a", 7));
}

}  // namespace
}  // namespace lockstep::live
