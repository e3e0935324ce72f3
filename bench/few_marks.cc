// One kind of mark, N times, and nothing else: for counting instructions under callgrind, as few_calls
// does for NCCL's calls. test/marks/instructions.sh holds them to a budget.
//
//   build/bench/few_marks PLUGIN.so step|range N [inert]
//
// inert: the plugin is loaded and not enabled.
#include <cstring>

#include "bench/plugin_host.h"
#include "lockstep/mark.h"

// What callgrind collects (--toggle-collect); not inlined so that they have names.
extern "C" __attribute__((noinline)) void few_marks(bool steps, uint64_t n) {
  for (uint64_t i = 0; i < n; ++i) {
    if (steps) {
      lockstep_mark_step_begin(i);
      lockstep_mark_step_end(i);
    } else {
      lockstep_mark_range_push("forward pass");
      lockstep_mark_range_pop();
    }
  }
}

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5)
    return std::fprintf(stderr, "usage: few_marks PLUGIN.so step|range N [inert]\n"), 2;
  setenv("LOCKSTEP_ENABLE", argc == 5 ? "0" : "1", 1);
  lockstep::bench::Host host = lockstep::bench::Host::load(argv[1]);
  host.init(1);
  const bool steps = std::strcmp(argv[2], "step") == 0;
  few_marks(steps, 100);  // the library, the thread's first block, the text
  few_marks(steps, std::strtoull(argv[3], nullptr, 10));
  host.finalize();
  return 0;
}
