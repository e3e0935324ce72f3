// Runs work(0), work(1), ... work(count - 1) on up to `threads` threads (0 = as many as the machine
// has), the calling one among them, and returns when all are done. `work` must not throw.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace lockstep {

template <class Work>
void in_parallel(size_t count, unsigned threads, const Work& work) {
  std::atomic<size_t> next{0};
  const auto run = [&] {
    for (size_t i = next++; i < count; i = next++) work(i);
  };
  const unsigned wanted = threads != 0 ? threads : std::thread::hardware_concurrency();
  std::vector<std::thread> others;
  for (size_t i = 1; i < std::clamp<size_t>(wanted, 1, std::max<size_t>(1, count)); ++i)
    others.emplace_back(run);
  run();
  for (std::thread& thread : others) thread.join();
}

}  // namespace lockstep
