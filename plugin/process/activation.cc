#include "plugin/process/activation.h"

#include <dlfcn.h>

#include <climits>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/text.h"

namespace lockstep::plugin {
namespace {

bool same_file(const char* a, const char* b) {
  char real_a[PATH_MAX], real_b[PATH_MAX];
  return realpath(a, real_a) != nullptr && realpath(b, real_b) != nullptr &&
         std::strcmp(real_a, real_b) == 0;
}

}  // namespace

// NCCL's own rules: a value with a slash is a path; lib*.so is a file name; any other X is tried as
// X and then as libnccl-profiler-X.so. The short name "lockstep" always means us, whatever the file
// is called.
bool names_library(const char* value, const char* own_path) {
  if (value == nullptr || value[0] == '\0') return false;
  if (std::strchr(value, '/') != nullptr) return same_file(value, own_path);
  if (std::strcmp(value, "lockstep") == 0) return true;
  const std::string own_name = base_name(own_path);
  return value == own_name || std::string("libnccl-profiler-") + value + ".so" == own_name;
}

bool is_enabled() {
  if (const char* enable = getenv("LOCKSTEP_ENABLE"); enable != nullptr && enable[0] != '\0') {
    return std::strcmp(enable, "0") != 0;
  }
  if (const char* inspector = getenv("NCCL_INSPECTOR_ENABLE");
      inspector != nullptr && std::atoi(inspector) != 0) {
    return true;
  }
  Dl_info self{};
  if (dladdr(reinterpret_cast<const void*>(&is_enabled), &self) == 0 || self.dli_fname == nullptr)
    return false;
  return names_library(getenv("NCCL_PROFILER_PLUGIN"), self.dli_fname);
}

}  // namespace lockstep::plugin
