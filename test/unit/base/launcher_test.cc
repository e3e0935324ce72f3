#include "base/launcher.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

Variables of(std::vector<const char*> entries) {
  entries.push_back(nullptr);
  static std::vector<std::vector<const char*>> kept;  // the lookup only points to them
  kept.push_back(std::move(entries));
  return variables_of(kept.back().data());
}

std::string job(std::vector<const char*> entries) {
  return launch_fact(LaunchFact::Job, of(std::move(entries)));
}

TEST(Launcher, KnowsNoJobUnlessALauncherNamesOne) {
  EXPECT_EQ(job({"RANK=3", "WORLD_SIZE=8", "MASTER_ADDR=n1", "MASTER_PORT=1"}), "");
  EXPECT_EQ(job({"TORCHELASTIC_RUN_ID=none", "RANK=3"}), "");
  EXPECT_EQ(job({"SLURM_JOB_ID="}), "");
}

TEST(Launcher, KnowsTheJobOfEveryLauncher) {
  EXPECT_EQ(job({"SLURM_JOB_ID=7", "TORCHELASTIC_RUN_ID=a"}), "7");
  EXPECT_EQ(job({"TORCHELASTIC_RUN_ID=a"}), "a");
  EXPECT_EQ(job({"PMIX_NAMESPACE=p"}), "p");
  EXPECT_EQ(job({"OMPI_MCA_ess_base_jobid=o"}), "o");
  EXPECT_EQ(job({"PBS_JOBID=9.head"}), "9.head");
  EXPECT_EQ(job({"LSB_JOBID=11"}), "11");
  EXPECT_EQ(job({"FLUX_JOB_ID=f"}), "f");
}

TEST(Launcher, SaysWhoseValueItIsAndCanAskOneOnly) {
  const Variables both = of({"RANK=3", "SLURM_PROCID=5"});

  EXPECT_EQ(launch_value(LaunchFact::Rank, both).variable->launcher, Launcher::Slurm);
  EXPECT_EQ(launch_fact(LaunchFact::Rank, both), "5");
  EXPECT_EQ(launch_fact(LaunchFact::Rank, both, Launcher::Torchrun), "3");
  EXPECT_EQ(launch_value(LaunchFact::Restart, both).variable, nullptr);
}

TEST(Launcher, DoesNotTakeAVariableForALongerOne) {
  EXPECT_EQ(job({"SLURM_JOB_ID_OLD=1", "SLURM_JOB=2"}), "");
}

}  // namespace
}  // namespace lockstep
