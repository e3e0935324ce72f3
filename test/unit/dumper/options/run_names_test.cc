#include <gtest/gtest.h>
#include <unistd.h>

#include "dumper/options/run_names.h"

namespace lockstep::dumper {
namespace {

ProcessNames names_in(std::vector<const char*> environment) {
  environment.push_back(nullptr);
  Config config;
  EXPECT_TRUE(config.set(Option::Host, "node7", Origin::File).ok());
  return process_names(config, environment.data());
}

TEST(RunNames, ReplacesEachPattern) {
  const ProcessNames names{"node7", "42", "3", "977"};

  EXPECT_EQ(expand_directory("/scratch/%j/%h/%r-%p", names), "/scratch/977/node7/3-42");
  EXPECT_EQ(expand_directory("plain", names), "plain");
  EXPECT_EQ(expand_directory("100%%-%x-%", names), "100%-%x-%");
}

TEST(RunNames, IsNamedAfterTheJobElseAfterHostAndProcess) {
  EXPECT_EQ(expand_directory("", {"node7", "42", "3", "977"}), "lockstep-977");
  EXPECT_EQ(expand_directory("", {"node7", "42", "3", ""}), "lockstep-node7-42");
  EXPECT_EQ(expand_directory("%j", {"node7", "42", "3", ""}), "nojob");
}

TEST(RunNames, KnowsTheJobAndRankOfEachLauncher) {
  EXPECT_EQ(names_in({"SLURM_JOB_ID=977", "SLURM_PROCID=5", "RANK=9"}).job, "977");
  EXPECT_EQ(names_in({"SLURM_JOB_ID=977", "SLURM_PROCID=5", "RANK=9"}).rank, "5");
  EXPECT_EQ(names_in({"TORCHELASTIC_RUN_ID=exp1", "RANK=2"}).job, "exp1");
  EXPECT_EQ(names_in({"PMIX_NAMESPACE=prterun-n1-77@1", "PMIX_RANK=4"}).job, "prterun-n1-77_1");
}

TEST(RunNames, FallsBackToTheMasterAddressWhenTorchrunHasNoJobId) {
  EXPECT_EQ(names_in({"TORCHELASTIC_RUN_ID=none", "MASTER_ADDR=n1", "MASTER_PORT=29500"}).job,
            "n1-29500");
  EXPECT_EQ(names_in({"MASTER_ADDR=n1"}).job, "");
}

TEST(RunNames, LetsNoVariableLeaveItsFolder) {
  EXPECT_EQ(names_in({"SLURM_JOB_ID=../../etc/x"}).job, "_._.._etc_x");
  EXPECT_EQ(names_in({"SLURM_JOB_ID=.."}).job, "_.");
}

TEST(RunNames, NamesProcessesWithoutARankByTheirPid) {
  EXPECT_EQ(names_in({}).rank, "p" + std::to_string(getpid()));
  EXPECT_EQ(names_in({}).host, "node7");
}

}  // namespace
}  // namespace lockstep::dumper
