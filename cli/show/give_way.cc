#include "cli/show/give_way.h"

#include <sys/resource.h>

#include <cstdint>
#include <fstream>
#include <limits>
#include <string>

namespace lockstep::cli {
namespace {

constexpr int kLastPriority = 19;
constexpr const char* kKilledFirst = "1000";  // of proc(5), oom_score_adj

// 0: not known.
rlim_t available_bytes() {
  std::ifstream file("/proc/meminfo");
  rlim_t kb = 0;
  for (std::string word; file >> word;
       file.ignore(std::numeric_limits<std::streamsize>::max(), '\n')) {
    if (word == "MemAvailable:" && file >> kb) return kb * 1024;
  }
  return 0;
}

}  // namespace

void give_way() {
  setpriority(PRIO_PROCESS, 0, kLastPriority);
  std::ofstream("/proc/self/oom_score_adj") << kKilledFirst;
  rlimit limit{};
  const rlim_t half = available_bytes() / 2;
  if (half == 0 || getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur <= half) return;
  limit.rlim_cur = half;
  setrlimit(RLIMIT_DATA, &limit);
}

}  // namespace lockstep::cli
