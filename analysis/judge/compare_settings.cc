#include "analysis/judge/compare_settings.h"

#include <algorithm>
#include <set>

#include "lockstep/config.h"

namespace lockstep::analysis {
namespace {

// Digests say it without a look at the options, where all processes have one.
bool have_one_digest(const std::vector<Setting>& settings) {
  std::set<size_t> processes, digested;
  std::set<std::string_view> digests;
  for (const Setting& setting : settings) {
    processes.insert(setting.process);
    if (setting.option != kSettingsDigest) continue;
    digested.insert(setting.process);
    digests.insert(setting.value);
  }
  return digests.size() == 1 && digested.size() == processes.size();
}

// Adds the process to those of its value.
void count(const Setting& setting, std::vector<SettingValue>* values) {
  for (SettingValue& known : *values) {
    if (known.value == setting.value) return known.processes.push_back(setting.process);
  }
  values->push_back({std::string(setting.value), {setting.process}});
}

}  // namespace

std::vector<SettingDifference> compare_settings(const std::vector<Setting>& settings) {
  if (have_one_digest(settings)) return {};
  std::vector<SettingDifference> options;
  for (const Setting& setting : settings) {
    if (is_each_hosts_own(setting.option)) continue;
    auto found = std::find_if(options.begin(), options.end(), [&](const SettingDifference& one) {
      return one.option == setting.option;
    });
    if (found == options.end())
      found = options.insert(options.end(), {std::string(setting.option), {}});
    count(setting, &found->values);
  }
  const auto alike = [](const SettingDifference& one) { return one.values.size() < 2; };
  options.erase(std::remove_if(options.begin(), options.end(), alike), options.end());
  // What the digests stand for is named itself, if it is known.
  if (options.size() > 1) {
    options.erase(
        std::remove_if(options.begin(), options.end(),
                       [](const SettingDifference& one) { return one.option == kSettingsDigest; }),
        options.end());
  }
  for (SettingDifference& one : options) {
    std::stable_sort(one.values.begin(), one.values.end(),
                     [](const SettingValue& a, const SettingValue& b) {
                       return a.processes.size() > b.processes.size();
                     });
  }
  return options;
}

}  // namespace lockstep::analysis
