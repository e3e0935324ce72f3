#include "plugin/process/clock_options.h"

#include <cstring>

#include "clocksync/probe/clock_presets.h"

namespace lockstep::plugin {
namespace {

using clocksync::ClockSyncOptions;
using dumper::Config;

// An option that the user gave wins over the preset's value.
void take(const Config& config, Option option, uint32_t* value) {
  if (config.is_set(option)) *value = static_cast<uint32_t>(config.u64(option));
}

std::vector<ClockSetting> settings(const Config& config) {
  std::vector<ClockSetting> all;
  for (size_t i = 0; i < kOptionCount; ++i) {
    const auto option = static_cast<Option>(i);
    if (std::strcmp(kOptions[i].section, kOptions[static_cast<size_t>(Option::Clock)].section) != 0)
      continue;
    all.push_back({kOptions[i].name, config.text(option),
                   dumper::kOriginNames[static_cast<size_t>(config.origin(option))]});
  }
  return all;
}

}  // namespace

bool wants_clock_probes(const Config& config, const ClockFacts& facts) {
  return config.is_set(Option::Clock) ? config.flag(Option::Clock) : facts.nodes > 1;
}

ClockSyncOptions clock_options(const Config& config, const ClockFacts& facts) {
  ClockSyncOptions options;
  clocksync::apply_preset(config.text(Option::ClockPreset), &options);
  take(config, Option::ClockCadenceUs, &options.cadence_us);
  take(config, Option::ClockBurstUs, &options.burst_cadence_us);
  take(config, Option::ClockTrain, &options.train);
  take(config, Option::ClockSpacingUs, &options.spacing_us);
  take(config, Option::ClockWindowS, &options.window_s);
  take(config, Option::ClockSnapshotMs, &options.snapshot_ms);
  take(config, Option::ClockFlushMs, &options.flush_ms);
  take(config, Option::ClockDegree, &options.degree);
  take(config, Option::ClockAnchors, &options.anchors);
  options.d_ns_s2 = config.real(Option::ClockDNsS2);
  options.rho_ppm = config.real(Option::ClockRhoPpm);
  options.rendezvous = config.text(Option::ClockRendezvous);
  options.port = static_cast<uint16_t>(config.u64(Option::ClockPort));
  options.job = config.text(Option::ClockJob);
  options.pod = config.text(Option::ClockPod);
  options.key_file = config.text(Option::ClockKeyFile);
  options.insecure = config.flag(Option::ClockInsecure);
  options.host = facts.host;
  options.run_directory =
      config.is_set(Option::ClockOut) ? config.text(Option::ClockOut) : facts.run_directory;
  // Where nothing names the job, hosts that share this directory are one.
  options.fallback_job = "dir:" + options.run_directory;
  options.expected_hosts = facts.nodes > 0 ? static_cast<uint32_t>(facts.nodes) : 0;
  options.settings = settings(config);
  return options;
}

}  // namespace lockstep::plugin
