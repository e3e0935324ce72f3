#include "clocksync/rendezvous/rendezvous.h"

#include <gtest/gtest.h>

#include "test/unit/clocksync/rendezvous/hosts.h"

namespace lockstep::clocksync {
namespace {

TEST(RendezvousPlan, FollowsTheChoiceOrTheEnvironment) {
  RendezvousFacts facts;
  facts.self = entry("a", 1);
  facts.directory = "/tmp";
  facts.port = 4000;
  const Environment slurm = [](const char* name) {
    return std::string(std::string(name) == "SLURM_JOB_NODELIST" ? "n[1-2]"
                       : std::string(name) == "MASTER_ADDR"      ? "n1"
                                                                 : "");
  };
  const Environment nothing = [](const char*) { return std::string(); };
  EXPECT_EQ(plan_rendezvous(facts, slurm).value().sources.size(), 3u);
  EXPECT_EQ(plan_rendezvous(facts, nothing).value().sources.size(), 1u);
  facts.choice = "none";
  EXPECT_EQ(plan_rendezvous(facts, slurm).value().sources.size(), 0u);
  facts.choice = "slurm";
  EXPECT_EQ(plan_rendezvous(facts, slurm).value().sources.size(), 1u);
  EXPECT_FALSE(plan_rendezvous(facts, nothing).ok());
  for (const char* bad : {"tcp:host", "somewhere", "tcp:"}) {
    facts.choice = bad;
    EXPECT_FALSE(plan_rendezvous(facts, nothing).ok()) << bad;
  }
}

}  // namespace
}  // namespace lockstep::clocksync
