#include "test/drivers/storm/exit_amid_calls.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>

namespace lockstep::driver::exit_amid_calls {
namespace {

std::atomic<size_t> waiting{0};
std::atomic<bool> plugin_is_through{false};
std::function<void()>* rest = nullptr;

}  // namespace

void prepare() {
  std::atexit([] {
    if (rest != nullptr) (*rest)();
  });
}

void wait() {
  ++waiting;
  while (!plugin_is_through) usleep(1000);
}

void exit_now(std::vector<std::thread>* threads, std::function<void()> last) {
  while (waiting < threads->size()) usleep(1000);
  rest = new std::function<void()>([threads, last = std::move(last)] {
    plugin_is_through = true;
    for (std::thread& thread : *threads) thread.join();
    last();
  });
  std::exit(0);
}

}  // namespace lockstep::driver::exit_amid_calls
