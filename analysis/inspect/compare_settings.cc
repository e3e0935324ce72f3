#include "analysis/inspect/compare_settings.h"

#include <algorithm>

#include "lockstep/config.h"

namespace lockstep::analysis {
namespace {

bool is_each_ones_own(const std::string& option) {
  return option == option_row(Option::Host).name;
}

// Adds the process to those of its value.
void count(const std::string& value, size_t process, std::vector<SettingValue>* values) {
  for (SettingValue& known : *values) {
    if (known.value == value) return known.processes.push_back(process);
  }
  values->push_back({value, {process}});
}

}  // namespace

std::vector<SettingDifference> compare_settings(
    const std::vector<const dumper::ProcessFacts*>& processes) {
  std::vector<SettingDifference> options;
  for (size_t i = 0; i < processes.size(); ++i) {
    if (processes[i] == nullptr) continue;
    for (const dumper::OptionFact& fact : processes[i]->options) {
      if (is_each_ones_own(fact.name)) continue;
      auto found = std::find_if(options.begin(), options.end(), [&](const SettingDifference& one) {
        return one.option == fact.name;
      });
      if (found == options.end()) found = options.insert(options.end(), {fact.name, {}});
      count(fact.value, i, &found->values);
    }
  }
  const auto alike = [](const SettingDifference& one) { return one.values.size() < 2; };
  options.erase(std::remove_if(options.begin(), options.end(), alike), options.end());
  for (SettingDifference& one : options) {
    std::stable_sort(one.values.begin(), one.values.end(),
                     [](const SettingValue& a, const SettingValue& b) {
                       return a.processes.size() > b.processes.size();
                     });
  }
  return options;
}

}  // namespace lockstep::analysis
