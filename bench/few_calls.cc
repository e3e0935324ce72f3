// The three calls of one kind, N times, and nothing else: for counting instructions under
// callgrind, which are the same on every run where nanoseconds are not. test/spine/instructions.sh
// holds them to a budget.
//
//   build/bench/few_calls PLUGIN.so KIND N [all|none|inert]
//
// none: everything is recorded at first, and switched off through the control socket before the N;
// inert: the plugin is loaded and not enabled.
#include <cstring>

#include "bench/plugin_host.h"
#include "bench/switch_off.h"

namespace {

using namespace lockstep;

int kind_number(const char* name) {
  for (unsigned k = 0; k < kKinds; ++k) {
    if (std::strcmp(kKindNames[k], name) == 0) return static_cast<int>(k);
  }
  return -1;
}

}  // namespace

// What callgrind collects (--toggle-collect); not inlined so that it has a name.
extern "C" __attribute__((noinline)) void few_calls(const bench::Host& host, bench::Descr& d,
                                                    abi::State state, uint64_t n) {
  for (uint64_t i = 0; i < n; ++i) {
    void* handle = host.start(d);
    host.state(handle, state, i);
    host.stop(handle);
  }
}

int main(int argc, char** argv) {
  const int kind = argc == 4 || argc == 5 ? kind_number(argv[2]) : -1;
  if (kind < 0)
    return std::fprintf(stderr, "usage: few_calls PLUGIN.so KIND N [all|none|inert]\n"), 2;
  const std::string mode = argc == 5 ? argv[4] : "all";
  setenv("LOCKSTEP_ENABLE", mode == "inert" ? "0" : "1", 1);
  setenv("LOCKSTEP_EVENTS", "all", 0);
  bench::Host host = bench::Host::load(argv[1]);
  host.init(1);
  bench::Descr d = bench::descriptor(static_cast<Kind>(kind), nullptr);
  const auto state =
      static_cast<abi::State>(kind == static_cast<int>(Kind::KernelCh) ? kKernelChStop : kSendWait);
  few_calls(host, d, state, 100);  // the thread's first block, the first names
  if (mode == "none" && !bench::switch_off(getenv("LOCKSTEP_DIR"))) return 3;
  few_calls(host, d, state, std::strtoull(argv[3], nullptr, 10));
  host.finalize();
  return 0;
}
