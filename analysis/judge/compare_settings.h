// Which options differ between the processes of a run: ranks that record different kinds, or write to
// different places, make half of a recording look like loss. A pure function, for judge() and for
// `lockstep info`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::analysis {

// An option in force in a process, which is a place in the caller's list of processes; or the digest of
// all its options (kSettingsDigest), which tells alike ones by itself.
struct Setting {
  size_t process;
  std::string_view option, value;
};

// One value of an option, and the processes that had it.
struct SettingValue {
  std::string value;
  std::vector<size_t> processes;
};

// One option that not all processes had alike; the most frequent value first.
struct SettingDifference {
  std::string option;
  std::vector<SettingValue> values;
};

// In the order of the options. Those whose value is each host's own by its nature, such as its name,
// are left out. Where only the digests differ, they are the difference.
std::vector<SettingDifference> compare_settings(const std::vector<Setting>& settings);

}  // namespace lockstep::analysis
