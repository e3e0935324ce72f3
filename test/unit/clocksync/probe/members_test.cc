#include "clocksync/probe/members.h"

#include <gtest/gtest.h>

#include "test/unit/durations.h"

namespace lockstep::clocksync {
namespace {

HostEntry host(const std::string& name, uint16_t port) {
  return {name, host_id_of(name), "127.0.0.1", port, "pod"};
}

struct Job {
  ProbeSetup setup;
  PeerSetup peers;
  HostClock clock;
  std::shared_ptr<HostDirectory> directory = std::make_shared<HostDirectory>();
  std::unique_ptr<Members> members;

  explicit Job(uint32_t expected) {
    setup.self = host("a", 1);
    setup.options.expected_hosts = expected;
    members = std::make_unique<Members>(setup, peers, clock, directory);
  }
  Peer* peer(const std::string& name) const { return members->find({host_id_of(name), 0}); }
};

TEST(Members, ProbeAtOnceWhenEverybodyIsThere) {
  Job job(3);
  job.directory->publish({host("a", 1), host("b", 2)});
  job.members->update(kSecond);
  EXPECT_TRUE(job.members->peers().empty()) << "one host is still missing";
  job.directory->publish({host("a", 1), host("b", 2), host("c", 3)});
  job.members->update(kSecond + 1);
  EXPECT_EQ(job.members->peers().size(), 2u);
  EXPECT_EQ(job.peer("a"), nullptr) << "a host does not probe itself";
}

TEST(Members, WaitUntilTheListWasQuietWhenNobodyKnowsHowManyWillCome) {
  Job job(0);
  job.directory->publish({host("a", 1), host("b", 2)});
  job.members->update(5 * kSecond);
  EXPECT_TRUE(job.members->peers().empty());
  job.members->update(6 * kSecond);
  EXPECT_NE(job.peer("b"), nullptr);
}

TEST(Members, KeepAHostThatLeftTheListForTenSeconds) {
  Job job(2);
  job.directory->publish({host("a", 1), host("b", 2)});
  job.members->update(kSecond);
  job.directory->publish({host("a", 1), host("c", 3)});
  job.members->update(2 * kSecond);
  EXPECT_NE(job.peer("c"), nullptr);
  job.members->update(12 * kSecond - 1);
  EXPECT_NE(job.peer("b"), nullptr);
  job.members->update(12 * kSecond);
  EXPECT_EQ(job.peer("b"), nullptr);
  EXPECT_NE(job.peer("c"), nullptr);
}

TEST(Members, FollowAHostToItsNewPortAndGreetItThere) {
  Job job(2);
  job.directory->publish({host("a", 1), host("b", 2)});
  job.members->update(kSecond);
  job.peer("b")->hello_sent(kSecond);
  EXPECT_FALSE(job.peer("b")->hello_due(kSecond + 1));
  job.directory->publish({host("a", 1), host("b", 9)});
  job.members->update(kSecond + 1);
  EXPECT_EQ(job.peer("b")->address().port(), 9);
  EXPECT_TRUE(job.peer("b")->hello_due(kSecond + 1));
}

TEST(Members, TakeInAKnownHostThatGreetsFirst) {
  Job job(0);
  job.directory->publish({host("a", 1), host("b", 2)});
  job.members->update(kSecond);
  ASSERT_EQ(job.peer("b"), nullptr);
  ASSERT_TRUE(job.members->known_host({host_id_of("b"), 0}));
  EXPECT_NE(job.members->greeted_by({host_id_of("b"), 0}, kSecond), nullptr);
  EXPECT_FALSE(job.members->known_host({host_id_of("stranger"), 0}));
}

TEST(Members, ProbeAHostByEveryInterfaceThatBothHave) {
  Job job(2);
  job.setup.self.further = {{"eth1", "127.0.0.11", 3}, {"eth2", "127.0.0.12", 4}};
  HostEntry b = host("b", 2);
  b.further = {{"eth3", "127.0.0.23", 5}, {"eth2", "127.0.0.22", 6}};
  job.directory->publish({host("a", 1), b});
  job.members->update(kSecond);
  ASSERT_EQ(job.members->peers().size(), 2u) << "the first of each, and eth2";
  const Peer* second = job.members->find({b.id, 2});
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(second->via().interface, "eth2");
  EXPECT_EQ(second->host().address, "127.0.0.22");
  EXPECT_EQ(second->address().port(), 6);
  EXPECT_EQ(job.peer("b")->address().port(), 2);
  EXPECT_EQ(job.members->find({b.id, 1}), nullptr) << "b has no eth1";
}

TEST(Members, HandOnTheComplaintsOfTheRendezvousOnce) {
  Job job(0);
  job.directory->complain("no such directory");
  EXPECT_EQ(job.members->update(1), std::vector<std::string>{"no such directory"});
  EXPECT_TRUE(job.members->update(2).empty());
}

}  // namespace
}  // namespace lockstep::clocksync
