#include "hostload/sample/infiniband.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "hostload/sample/kernel_file.h"
#include "hostload/sample/kernel_text.h"

namespace lockstep::hostload {
namespace {

constexpr size_t kMostCounters = 4096;
constexpr const char* kDevices = "/sys/class/infiniband";
constexpr const char* kCounterFolders[] = {"/counters", "/hw_counters"};
// "4: ACTIVE", "5: LinkUp", "100 Gb/sec (4X EDR)": the number in front.
constexpr const char* kLinkFiles[] = {"state", "phys_state", "rate"};

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  const Directory directory(opendir(folder.c_str()));
  if (directory == nullptr) return names;
  while (const dirent* entry = readdir(directory.get())) {
    if (entry->d_name[0] != '.' && names.size() < kMostCounters) names.push_back(entry->d_name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

bool has_infiniband(const std::string& root) {
  return access((root + kDevices).c_str(), X_OK) == 0;
}

void read_infiniband(const std::string& root, const TakeCounter& take) {
  size_t left = kMostCounters;
  const auto read = [&](const LoadCounter& counter, const std::string& path) {
    const int64_t value = leading_number(KernelFile(path).read());
    if (value == kNotSampled || left == 0) return;
    --left;
    take(counter, value);
  };
  for (const std::string& device : names_in(root + kDevices)) {
    const std::string ports = root + kDevices + "/" + device + "/ports";
    for (const std::string& name : names_in(ports)) {
      const auto port = parse_number<uint32_t>(name);
      if (!port) continue;
      for (const char* file : kLinkFiles)
        read({device, *port, std::string("link_") + file}, ports + "/" + name + "/" + file);
      for (const char* folder : kCounterFolders) {
        const std::string counters = ports + "/" + name + folder;
        for (const std::string& counter : names_in(counters))
          read({device, *port, counter}, counters + "/" + counter);
      }
    }
  }
}

}  // namespace lockstep::hostload
