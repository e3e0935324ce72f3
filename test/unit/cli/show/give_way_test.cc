#include "cli/show/give_way.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace lockstep::cli {
namespace {

enum Seen { Priority = 1, KilledFirst = 2, Bounded = 4 };

// In a process of its own, since there is no way back.
int seen_after_giving_way() {
  const pid_t child = fork();
  if (child == 0) {
    give_way();
    int score = 0;
    std::ifstream("/proc/self/oom_score_adj") >> score;
    rlimit limit{};
    getrlimit(RLIMIT_DATA, &limit);
    const bool bounded = limit.rlim_cur < static_cast<rlim_t>(sysconf(_SC_PHYS_PAGES)) *
                                              static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) / 2;
    _exit((getpriority(PRIO_PROCESS, 0) == 19 ? Priority : 0) | (score == 1000 ? KilledFirst : 0) |
          (bounded ? Bounded : 0));
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(GiveWay, ACommandBesideAProgramRunsLastAndIsKilledFirst) {
  EXPECT_EQ(seen_after_giving_way() & (Priority | KilledFirst), Priority | KilledFirst);
}

TEST(GiveWay, ACommandBesideAProgramTakesHalfOfWhatIsFreeAtMost) {
  if (getenv("QEMU_LD_PREFIX") != nullptr) GTEST_SKIP() << "qemu-user keeps no limit on data";
  EXPECT_EQ(seen_after_giving_way() & Bounded, Bounded);
}

}  // namespace
}  // namespace lockstep::cli
