#include "live/agent/relay.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <thread>

#include "base/clock_ns.h"
#include "live/agent/asker_session.h"
#include "live/asker/answers_json.h"
#include "live/asker/ask_all.h"
#include "live/asker/relay_groups.h"
#include "test/unit/live/loopback_socket.h"

namespace lockstep::live {
namespace {

std::atomic<int> questions_heard{0};

// What each agent says: a row and two chunks of a part.
Result<HostAnswer> canned(const HostContext&, const Question& question, PartSink* parts) {
  ++questions_heard;
  if (question.word == "echo") {
    HostAnswer answer;
    answer.rows = question.arguments;
    return answer;
  }
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
    thread_ = std::thread([this] { serve(); });
  }
  ~Agents() {
    stop_ = true;
    thread_.join();
    while (sessions_ > 0) usleep(1000);
  }
  uint16_t port() const { return listener_.port(); }

 private:
  void serve() {
    while (!stop_) {
      pollfd event{listener_.fd(), POLLIN, 0};
      if (poll(&event, 1, 20) <= 0) continue;
      const int fd = accept(listener_.fd(), nullptr, nullptr);
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
  const LoopbackSocket listener_;
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
  const LoopbackSocket unused(LoopbackSocket::Is::OnlyBound);
  targets.hosts[0].agent.port = unused.port();
  const Answers answers = ask_all(targets, {"canned", "x", "me@n"}, patient(), &parts);
  EXPECT_EQ(answers.hosts_answered, 599u);
  EXPECT_EQ(answers.failed[0].host, "n0");
  EXPECT_NE(answers.failed[0].reason.find("nobody listens"), std::string::npos);
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

// Whatever it says, what is made of all hosts' rows is a list.
TEST_F(Relay, AHostWhoseRowsAreNoObjectsHasFailedAndTheOthersCount) {
  Targets targets = agents_at(agents_.port(), 1, key_);
  for (const char* rows : {"[7]", " [{}]", "[{}]\n", "{}", "[{}],[{}]", "", "[", "[[]]"}) {
    const Answers answers = ask_all(targets, {"echo", rows, ""}, patient(), nullptr);
    EXPECT_EQ(answers.hosts_answered, 0u) << rows;
    ASSERT_EQ(answers.failed.size(), 1u) << rows;
    EXPECT_EQ(answers.failed[0].reason, "its rows are no list of JSON objects");
    EXPECT_EQ(all_rows(answers), "[]") << rows;
  }
  Answers answers = ask_all(targets, {"echo", R"([{"a":1},{"a":2}])", ""}, patient(), nullptr);
  answers.hosts.push_back({"n2", "[]"});
  answers.hosts.push_back({"n3", R"([{"a":3}])"});
  EXPECT_EQ(all_rows(answers), R"([{"a":1},{"a":2},{"a":3}])");
}

TEST(RelayGroups, RowsOfAHostThatAreNoObjectsAreThatHostsFailure) {
  const auto answers = parse_relay_rows(R"([{"rows":[{}]},{"rows":[7]}])", 2);
  ASSERT_TRUE(answers.ok());
  EXPECT_TRUE(answers.value()[0].ok());
  EXPECT_EQ(answers.value()[1].message(), "its rows are no list of JSON objects");
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
