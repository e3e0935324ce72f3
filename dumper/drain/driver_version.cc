#include "dumper/drain/driver_version.h"

#include <algorithm>

#include "base/system.h"

namespace lockstep::dumper {
namespace {

// The first word that is a version: "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sat ...".
std::string version_in(const Result<std::string>& text) {
  if (!text.ok()) return {};
  constexpr const char* kBlanks = " \t\n";
  const std::string& line = text.value();
  size_t end = 0;
  for (size_t from = line.find_first_not_of(kBlanks); from != std::string::npos;
       from = line.find_first_not_of(kBlanks, end)) {
    end = std::min(line.find_first_of(kBlanks, from), line.size());
    std::string word = line.substr(from, end - from);
    if (word[0] >= '0' && word[0] <= '9' && word.find('.') != std::string::npos) return word;
  }
  return {};
}

}  // namespace

std::string driver_version(const std::string& root) {
  constexpr size_t kMostBytes = 4096;
  std::string version =
      version_in(read_small_file(root + "/sys/module/nvidia/version", kMostBytes));
  // Where a container does not see the kernel's modules.
  if (version.empty())
    version = version_in(read_small_file(root + "/proc/driver/nvidia/version", kMostBytes));
  return version;
}

}  // namespace lockstep::dumper
