// Which options differ between the processes of a run: ranks that record different kinds, or write to
// different places, make half of a recording look like loss. Made from the facts at the head of each
// process's segments; a pure function, for `lockstep info` and for the diagnosis's remarks.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dumper/segment/process_facts.h"

namespace lockstep::analysis {

// One value of an option and the places, in the list of processes, of those that had it.
struct SettingValue {
  std::string value;
  std::vector<size_t> processes;
};

// One option that not all processes had alike; the most frequent value first.
struct SettingDifference {
  std::string option;
  std::vector<SettingValue> values;
};

// In the order of the options. Processes without facts (nullptr, or without options) are left out, and
// so are options whose value is each process's own by its nature, such as the host's name.
std::vector<SettingDifference> compare_settings(
    const std::vector<const dumper::ProcessFacts*>& processes);

}  // namespace lockstep::analysis
