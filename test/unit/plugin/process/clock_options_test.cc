#include "dumper/options/load_config.h"
#include "plugin/process/clock_options.h"

#include <gtest/gtest.h>

namespace lockstep::plugin {
namespace {

dumper::LoadedConfig load(std::vector<std::string> environment) {
  std::vector<const char*> pointers;
  for (const std::string& entry : environment) pointers.push_back(entry.c_str());
  pointers.push_back(nullptr);
  return dumper::load_config(pointers.data());
}

clocksync::ClockSyncOptions options(const std::vector<std::string>& environment) {
  return clock_options(load(environment).config, {"h0", "/run/x", 2});
}

TEST(ClockOptions, AreTheProbersOwnDefaultsWhenNothingIsSet) {
  const clocksync::ClockSyncOptions made = options({}), own;
  EXPECT_EQ(made.cadence_us, own.cadence_us);
  EXPECT_EQ(made.burst_cadence_us, own.burst_cadence_us);
  EXPECT_EQ(made.train, own.train);
  EXPECT_EQ(made.spacing_us, own.spacing_us);
  EXPECT_EQ(made.window_s, own.window_s);
  EXPECT_EQ(made.snapshot_ms, own.snapshot_ms);
  EXPECT_EQ(made.flush_ms, own.flush_ms);
  EXPECT_EQ(made.degree, own.degree);
  EXPECT_EQ(made.anchors, own.anchors);
  EXPECT_EQ(made.d_ns_s2, own.d_ns_s2);
  EXPECT_EQ(made.rho_ppm, own.rho_ppm);
  EXPECT_EQ(made.run_directory, "/run/x");
  EXPECT_EQ(made.expected_hosts, 2u);
  EXPECT_FALSE(made.insecure);
}

TEST(ClockOptions, LetASettingWinOverThePreset) {
  EXPECT_EQ(options({"LOCKSTEP_CLOCK_PRESET=low-overhead"}).cadence_us, 1'000'000u);
  const auto both =
      options({"LOCKSTEP_CLOCK_PRESET=low-overhead", "LOCKSTEP_CLOCK_CADENCE_US=2000"});
  EXPECT_EQ(both.cadence_us, 2000u);
  EXPECT_EQ(both.degree, 4u);
}

TEST(ClockOptions, TakeTheXlaNamesWithANotice) {
  const auto loaded = load({"XLA_PROBE_CADENCE_US=800", "XLA_ENABLE_DISTRIBUTED_PROFILING=1"});
  EXPECT_EQ(loaded.config.u64(Option::ClockCadenceUs), 800u);
  EXPECT_TRUE(loaded.config.flag(Option::Clock));
  std::string all;
  for (const dumper::Notice& notice : loaded.notices) all += notice.sentence + "\n";
  EXPECT_NE(all.find("XLA_PROBE_CADENCE_US is taken as LOCKSTEP_CLOCK_CADENCE_US"),
            std::string::npos)
      << all;
}

TEST(ClockOptions, PreferOurNameToTheXlaName) {
  const auto loaded = load({"XLA_PROBE_CADENCE_US=800", "LOCKSTEP_CLOCK_CADENCE_US=900"});
  EXPECT_EQ(loaded.config.u64(Option::ClockCadenceUs), 900u);
}

TEST(ClockProbes, RunBetweenHostsUnlessToldOtherwise) {
  EXPECT_TRUE(wants_clock_probes(load({}).config, {"h", "/", 2}));
  EXPECT_FALSE(wants_clock_probes(load({}).config, {"h", "/", 1}));
  EXPECT_FALSE(wants_clock_probes(load({}).config, {"h", "/", 0}));
  EXPECT_FALSE(wants_clock_probes(load({"LOCKSTEP_CLOCK=0"}).config, {"h", "/", 2}));
  EXPECT_TRUE(wants_clock_probes(load({"LOCKSTEP_CLOCK=1"}).config, {"h", "/", 1}));
}

}  // namespace
}  // namespace lockstep::plugin
