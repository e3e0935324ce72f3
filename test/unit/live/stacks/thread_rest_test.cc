#include "live/stacks/thread_rest.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace lockstep::live {
namespace {

std::string status(const std::string& state) {
  return "Name:\tpython3\nUmask:\t0022\nState:\t" + state +
         "\nTgid:\t7\nvoluntary_ctxt_switches:\t120\nnonvoluntary_ctxt_switches:\t3\n";
}

constexpr char kPause[] = "34 0x0 0x0 0x0 0x0 0x0 0x0 0x7ffc1 0x7f12\n";

TEST(ThreadRest, CountsTheSwitchesOfAThreadThatIsOffTheProcessor) {
  EXPECT_EQ(switches_at_rest(kPause, status("S (sleeping)")), 123U);
  EXPECT_EQ(switches_at_rest(kPause, status("D (disk sleep)")), 123U);
  EXPECT_EQ(switches_at_rest("-1 0x7ffc1 0x7f12\n", status("S (sleeping)")), 123U);
}

TEST(ThreadRest, BelievesTheStateOfAStoppedThreadAlone) {
  EXPECT_EQ(switches_at_rest("", status("T (stopped)")), 123U);
  EXPECT_EQ(switches_at_rest("", status("t (tracing stop)")), 123U);
  EXPECT_FALSE(switches_at_rest("", status("S (sleeping)")));
}

TEST(ThreadRest, KnowsNothingOfAThreadThatRuns) {
  EXPECT_FALSE(switches_at_rest("running\n", status("R (running)")));
  EXPECT_FALSE(switches_at_rest("running\n", status("S (sleeping)"))) << "on its way to sleep";
  EXPECT_FALSE(switches_at_rest(static_cast<uint32_t>(getpid()), static_cast<uint32_t>(getpid())));
}

TEST(ThreadRest, KnowsNothingFromATextThatIsCut) {
  const std::string whole = status("S (sleeping)");
  for (size_t size = 0; size + 8 < whole.size(); size += 8)
    EXPECT_FALSE(switches_at_rest(kPause, whole.substr(0, size))) << size;
  EXPECT_FALSE(switches_at_rest(4'194'304, 4'194'304)) << "no such process";
}

}  // namespace
}  // namespace lockstep::live
