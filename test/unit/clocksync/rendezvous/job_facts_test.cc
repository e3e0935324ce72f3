#include "clocksync/rendezvous/job_facts.h"

#include <gtest/gtest.h>

#include <map>

namespace lockstep::clocksync {
namespace {

Environment of(std::map<std::string, std::string> values) {
  return [values](const char* name) {
    const auto found = values.find(name);
    return found == values.end() ? std::string() : found->second;
  };
}

TEST(JobName, IsTheFirstThatNamesTheJob) {
  EXPECT_EQ(job_name(of({{"SLURM_JOB_ID", "7"}, {"SLURM_STEP_ID", "0"}, {"MASTER_ADDR", "m"}})),
            "slurm:7.0");
  EXPECT_EQ(job_name(of({{"TORCHELASTIC_RUN_ID", "abc"}})), "torch:abc");
  EXPECT_EQ(job_name(of(
                {{"TORCHELASTIC_RUN_ID", "none"}, {"MASTER_ADDR", "m"}, {"MASTER_PORT", "29500"}})),
            "master:m:29500");
  EXPECT_EQ(job_name(of({{"PBS_JOBID", "9"}})), "PBS_JOBID:9");
  EXPECT_EQ(job_name(of({})), "");
}

TEST(MasterHost, TakesOnlyTheHostOfNcclsBootstrapAddress) {
  EXPECT_EQ(master_host(of({{"NCCL_COMM_ID", "10.1.2.3:5555"}})), "10.1.2.3");
  EXPECT_EQ(master_host(of({{"NCCL_COMM_ID", "[fd00::5]:5555"}})), "fd00::5");
  EXPECT_EQ(master_host(of({{"MASTER_ADDR", "m"}, {"NCCL_COMM_ID", "10.1.2.3:5555"}})), "m");
}

TEST(Pod, IsTheSwitchOfSlurmsTopology) {
  EXPECT_EQ(pod_from_environment(of({{"SLURM_TOPOLOGY_ADDR", "s0.s4.node7"}})), "s0.s4");
  EXPECT_EQ(pod_from_environment(of({})), "");
}

}  // namespace
}  // namespace lockstep::clocksync
