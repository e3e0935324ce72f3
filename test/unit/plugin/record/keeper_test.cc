#include "plugin/record/keeper.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "base/clock_ns.h"

namespace lockstep::plugin {
namespace {

constexpr size_t kUsualCap = 256 << 20;
constexpr auto kBeyondBusy = std::chrono::milliseconds(400);
constexpr double kQuietTicksPerS = 50;

// A machine that is busy can only make them fewer.
double looks_per_second(const std::atomic<int>& looks) {
  const int64_t began_ns = mono_now_ns();
  const int before = looks.load();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  return (looks.load() - before) / (static_cast<double>(mono_now_ns() - began_ns) * 1e-9);
}

TEST(Keeper, LooksLessOftenWhereNoBlockIsTaken) {
  Arena arena;
  ASSERT_TRUE(arena.create({kUsualCap, false, ""}).ok());
  arena.header()->next_sequence = 1;  // as recording sets it
  BlockQueue queue(arena.max_blocks());
  Keeper keeper(arena, queue);
  std::atomic<int> looks{0};
  keeper.set_watch([&looks] {
    ++looks;
    return int64_t{1'000'000'000};
  });
  ASSERT_TRUE(keeper.start(1'000'000, [] {}));
  std::this_thread::sleep_for(kBeyondBusy);
  EXPECT_LE(looks_per_second(looks), 1.2 * kQuietTicksPerS);
  keeper.stop();
}

}  // namespace
}  // namespace lockstep::plugin
