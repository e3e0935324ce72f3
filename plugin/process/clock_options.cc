#include "plugin/process/clock_options.h"

#include <cstring>

#include "clocksync/probe/clock_presets.h"

namespace lockstep::plugin {
namespace {

using clocksync::ClockSyncOptions;
using dumper::Config;

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
  for (size_t i = 0; i < kOptionCount; ++i) {
    const auto option = static_cast<Option>(i);
    clocksync::set_option(option, {config.u64(option), config.real(option), config.text(option)},
                          &options);
  }
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
