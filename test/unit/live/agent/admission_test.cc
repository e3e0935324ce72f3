#include "live/agent/admission.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/clock_ns.h"
#include "live/agent/agent.h"
#include "live/asker/ask_all.h"

namespace lockstep::live {
namespace {

constexpr int64_t kHangNs = 60'000'000'000;  // only bounds a hang

// An agent at a TCP port, which lets a silent connection stay for as long as the test takes.
class PatientAgent : public testing::Test {
 protected:
  PatientAgent() {
    AgentOptions options;
    options.host = "a-host-of-nobody";
    options.key = derive_live_key(clocksync::SecretKey{});
    options.listen_address = "127.0.0.1";
    options.stay = true;
    options.greeting_ns = 10 * kHangNs;
    std::vector<std::string> complaints;
    auto agent = Agent::start(options, &complaints);
    EXPECT_TRUE(agent.ok()) << agent.message();
    agent_ = std::move(agent.value());
    serving_ = std::thread([this] { agent_->serve(stop_); });
  }
  ~PatientAgent() override {
    const uint64_t one = 1;
    EXPECT_EQ(write(stop_, &one, sizeof one), static_cast<ssize_t>(sizeof one));
    serving_.join();
    for (const int fd : strangers_) close(fd);
    close(stop_);
  }

  void connect_strangers(size_t count) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(agent_->registration().port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (size_t i = 0; i < count; ++i) {
      strangers_.push_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      ASSERT_EQ(
          connect(strangers_.back(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
          0);
    }
  }

  Answers ask() const {
    Targets targets;
    Target host;
    host.host = "n1";
    host.way = Target::Way::Agent;
    host.agent.address = "127.0.0.1";
    host.agent.port = agent_->registration().port;
    targets.hosts = {host};
    targets.key = derive_live_key(clocksync::SecretKey{});
    AskTerms terms;
    terms.deadline_ns = mono_now_ns() + kHangNs;
    return ask_all(targets, {"ps", "{}", "me@n1"}, terms, nullptr);
  }

  // Whether the agent ends this connection; `wait_ms` bounds a hang.
  static bool is_cut(int fd, int wait_ms) {
    pollfd event = {fd, POLLIN, 0};
    char byte = 0;
    return poll(&event, 1, wait_ms) == 1 && recv(fd, &byte, 1, MSG_DONTWAIT) <= 0;
  }

  std::vector<int> strangers_;

 private:
  int stop_ = eventfd(0, EFD_CLOEXEC);
  std::unique_ptr<Agent> agent_;
  std::thread serving_;
};

TEST_F(PatientAgent, AnswersWhoHasTheKeyHoweverManySayNothing) {
  connect_strangers(kMostInside + 50);
  for (int time = 0; time < 3; ++time) {
    const Answers answers = ask();
    EXPECT_EQ(answers.hosts_answered, 1u)
        << (answers.failed.empty() ? "" : answers.failed[0].reason);
  }
}

TEST_F(PatientAgent, CutsTheOldestOfTooManyStrangers) {
  connect_strangers(kMostStrangers + 3);
  EXPECT_TRUE(is_cut(strangers_[0], 60'000));
  EXPECT_TRUE(is_cut(strangers_[2], 60'000));
  EXPECT_EQ(ask().hosts_answered, 1u);  // all that came before this are in by now
  EXPECT_FALSE(is_cut(strangers_[5], 0));
  EXPECT_FALSE(is_cut(strangers_.back(), 0));
}

TEST(Admission, AnswersSoManyAtATimeAndLetsTheOthersWait) {
  Admission admission;
  for (size_t i = 0; i < kMostAskers; ++i) ASSERT_TRUE(admission.take_place(mono_now_ns()));
  EXPECT_FALSE(admission.take_place(mono_now_ns() + 1'000'000));
  std::thread waits([&] { EXPECT_TRUE(admission.take_place(mono_now_ns() + kHangNs)); });
  admission.give_place();
  waits.join();
}

}  // namespace
}  // namespace lockstep::live
