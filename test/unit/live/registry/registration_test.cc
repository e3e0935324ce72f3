#include "live/registry/registration.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/system.h"

namespace lockstep::live {
namespace {

class Registry : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/lockstep-registry.XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    run_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(run_); }

  // Of this very process, so alive.
  static Registration own(const std::string& host) {
    Registration registration;
    registration.process = dumper::process_here(host, static_cast<uint32_t>(getpid()));
    registration.address = "10.0.0.1";
    registration.port = 4711;
    registration.version = "1";
    return registration;
  }

  std::string run_;
};

TEST_F(Registry, AnAgentIsFoundByItsHost) {
  ASSERT_TRUE(write_registration(run_, own("n1")).ok());
  const auto found = read_registrations(run_);
  ASSERT_EQ(found.count("n1"), 1u);
  EXPECT_EQ(found.at("n1").address, "10.0.0.1");
  EXPECT_EQ(found.at("n1").port, 4711);
}

TEST_F(Registry, FilesAreForTheirOwnerAlone) {
  ASSERT_TRUE(write_registration(run_, own("n1")).ok());
  ASSERT_TRUE(run_key(run_).ok());
  struct stat facts {};
  ASSERT_EQ(stat((run_ + "/agents").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0700u);
  ASSERT_EQ(stat(run_key_path(run_).c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600u);
  ASSERT_EQ(stat((run_ + "/agents/n1.json").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600u);
}

TEST_F(Registry, AnAgentOfThisMachineThatIsGoneIsPassedOver) {
  Registration dead = own("n1");
  ++dead.process.start;  // the number is another process's now
  ASSERT_TRUE(write_registration(run_, dead).ok());
  EXPECT_TRUE(read_registrations(run_).empty());
}

TEST_F(Registry, AnAgentOfAnEarlierBootOfThisMachineIsPassedOver) {
  Registration dead = own(this_host());
  dead.process.boot_id = "an earlier boot";
  ASSERT_TRUE(write_registration(run_, dead).ok());
  EXPECT_TRUE(read_registrations(run_).empty());
}

TEST_F(Registry, AnAgentOfAnotherMachineIsBelieved) {
  Registration there = own("n1");
  ++there.process.start;
  there.process.boot_id = "another boot";
  ASSERT_TRUE(write_registration(run_, there).ok());
  EXPECT_EQ(read_registrations(run_).size(), 1u);
}

TEST_F(Registry, OnlyTheOwnRegistrationIsRemoved) {
  ASSERT_TRUE(write_registration(run_, own("n1")).ok());
  Registration successor = own("n1");
  successor.port = 4712;
  ASSERT_TRUE(write_registration(run_, successor).ok());
  remove_registration(run_, own("n1"));
  EXPECT_EQ(read_registrations(run_).count("n1"), 1u);
  remove_registration(run_, successor);
  EXPECT_TRUE(read_registrations(run_).empty());
}

TEST_F(Registry, AFileUnderAnothersNameIsPassedOver) {
  ASSERT_TRUE(write_registration(run_, own("n1")).ok());
  std::filesystem::rename(run_ + "/agents/n1.json", run_ + "/agents/n2.json");
  std::ofstream(run_ + "/agents/n3.json") << "no json";
  EXPECT_TRUE(read_registrations(run_).empty());
}

TEST_F(Registry, AHostThatWouldLeaveTheFolderIsNone) {
  Registration wrong = own("n1");
  wrong.process.host = "../n1";
  EXPECT_FALSE(parse_registration(registration_json(wrong)).ok());
}

TEST_F(Registry, EveryAgentOfTheRunGetsTheSameKey) {
  const auto first = run_key(run_), second = run_key(run_);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first.value(), second.value());
}

}  // namespace
}  // namespace lockstep::live
