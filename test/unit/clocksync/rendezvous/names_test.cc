#include <gtest/gtest.h>

#include <map>

#include "clocksync/rendezvous/host_list.h"
#include "clocksync/rendezvous/job_facts.h"
#include "clocksync/wire/interfaces.h"

namespace lockstep::clocksync {
namespace {

using Names = std::vector<std::string>;

Names expand(const std::string& list) {
  const Result<Names> names = expand_nodelist(list);
  return names.ok() ? names.value() : Names{"error: " + names.message()};
}

TEST(NodeList, ExpandsBracketsAsSlurmDoes) {
  EXPECT_EQ(expand("login1"), Names{"login1"});
  EXPECT_EQ(expand("gpu[1-3]"), (Names{"gpu1", "gpu2", "gpu3"}));
  EXPECT_EQ(expand("gpu[001-003,7],login1"),
            (Names{"gpu001", "gpu002", "gpu003", "gpu7", "login1"}));
  EXPECT_EQ(expand("gpu[08-11]"), (Names{"gpu08", "gpu09", "gpu10", "gpu11"}));
  EXPECT_EQ(expand("r[1-2]n[1-2]-ib"), (Names{"r1n1-ib", "r1n2-ib", "r2n1-ib", "r2n2-ib"}));
  EXPECT_EQ(expand(""), Names{});
}

TEST(NodeList, RefusesWhatItCannotExpand) {
  for (const char* bad :
       {"gpu[1-", "gpu[3-1]", "gpu[a-b]", "gpu]", "gpu[]", "gpu[1-99999999999]"}) {
    EXPECT_FALSE(expand_nodelist(bad).ok()) << bad;
  }
}

TEST(StaticList, ReadsPortsAndBothAddressFamilies) {
  const auto list = parse_static_list("h1,h2:4001,[fd00::2]:4002,fd00::3,10.0.0.1:5").value();
  ASSERT_EQ(list.size(), 5u);
  EXPECT_EQ(list[0].at.host, "h1");
  EXPECT_EQ(list[0].at.port, 0);
  EXPECT_EQ(list[1].at.port, 4001);
  EXPECT_EQ(list[2].at.host, "fd00::2");
  EXPECT_EQ(list[2].at.port, 4002);
  EXPECT_EQ(list[3].at.host, "fd00::3");
  EXPECT_EQ(list[4].at.port, 5);
  for (const char* bad : {"h1:", "h1:x", "h1:70000", "[fd00::2", ":5"}) {
    const auto parsed = parse_host_port(bad);
    EXPECT_TRUE(!parsed.ok() || parsed.value().port == 0) << bad;
  }
  EXPECT_FALSE(parse_host_port("h1:70000").ok());
  EXPECT_FALSE(parse_host_port(":5").ok());
}

TEST(StaticList, GivesAnAddressTheNameBeforeTheEqualsSign) {
  const auto list = parse_static_list("n1=10.0.0.1:5,,h2").value();
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].name, "n1");
  EXPECT_EQ(list[0].at.host, "10.0.0.1");
  EXPECT_EQ(list[1].name, "h2");
}

TEST(InterfaceName, FollowsNcclsSyntax) {
  EXPECT_TRUE(ifname_matches("eth0", "eth"));
  EXPECT_TRUE(ifname_matches("eth0", "ib,eth"));
  EXPECT_FALSE(ifname_matches("enp1s0", "eth"));
  EXPECT_TRUE(ifname_matches("eth0", "=eth0"));
  EXPECT_FALSE(ifname_matches("eth01", "=eth0"));
  EXPECT_FALSE(ifname_matches("docker0", "^docker,lo"));
  EXPECT_FALSE(ifname_matches("lo", "^docker,lo"));
  EXPECT_TRUE(ifname_matches("eth0", "^docker,lo"));
  EXPECT_FALSE(ifname_matches("lo", "^=lo"));
  EXPECT_TRUE(ifname_matches("lo1", "^=lo"));
  EXPECT_TRUE(ifname_matches("ib0", "ib0:1"));
}

Names chosen(const Names& names, const std::string& rule, Family family) {
  std::vector<Interface> all;
  for (const std::string& name : names) {
    const bool v6 = name.back() == '6';
    all.push_back({v6 ? name.substr(0, name.size() - 1) : name, v6 ? "fd00::1" : "10.0.0.1",
                   v6 ? Family::V6 : Family::V4, name.substr(0, 2) == "lo"});
  }
  Names result;
  for (const Interface& one : choose_interfaces(all, {rule, family})) result.push_back(one.name);
  return result;
}

TEST(InterfaceChoice, PrefersWhatNcclPrefers) {
  EXPECT_EQ(chosen({"lo", "docker0", "eth0", "ib0"}, "", Family::Any), Names{"ib0"});
  EXPECT_EQ(chosen({"lo", "docker0", "eth0", "eth1"}, "", Family::Any), (Names{"eth0", "eth1"}));
  EXPECT_EQ(chosen({"lo", "docker0"}, "", Family::Any), Names{"docker0"});
  EXPECT_EQ(chosen({"lo"}, "", Family::Any), Names{"lo"});
  EXPECT_EQ(chosen({"lo", "docker0", "eth0"}, "lo", Family::Any), Names{"lo"});
  EXPECT_EQ(chosen({"eth0", "eth16"}, "", Family::V6), Names{"eth1"});
  EXPECT_EQ(chosen({"eth0"}, "ib", Family::Any), Names{});
  EXPECT_EQ(parse_family("AF_INET6"), Family::V6);
  EXPECT_EQ(parse_family("AF_INET"), Family::V4);
  EXPECT_EQ(parse_family(""), Family::Any);
}

TEST(Loopback, IsTheWholeRangeAndNothingElse) {
  EXPECT_TRUE(is_loopback_address("127.0.0.1"));
  EXPECT_TRUE(is_loopback_address("127.9.8.7"));
  EXPECT_TRUE(is_loopback_address("::1"));
  EXPECT_FALSE(is_loopback_address("128.0.0.1"));
  EXPECT_FALSE(is_loopback_address("10.0.0.1"));
  EXPECT_FALSE(is_loopback_address("fd00::1"));
  EXPECT_FALSE(is_loopback_address("localhost"));
}

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
