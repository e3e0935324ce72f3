// The three calls of one kind, N times, and nothing else: for counting instructions under
// callgrind, which are the same on every run where nanoseconds are not. test/spine/instructions.sh
// holds them to a budget.
//
//   build/bench/few_calls PLUGIN.so KIND N [all|none|inert|armed|captured]
//
// none: everything is recorded at first, and switched off through the control socket before the N;
// inert: the plugin is loaded and not enabled; armed: a capture is armed before the N, by a position that is
// not reached; captured: the program has made one.
#include <cstring>
#include <string>
#include <string_view>

#include "bench/plugin_host.h"
#include "bench/switch_off.h"
#include "lockstep/mark.h"

namespace {

using namespace lockstep;

int kind_number(const char* name) {
  for (unsigned k = 0; k < kKinds; ++k) {
    if (std::strcmp(kKindNames[k], name) == 0) return static_cast<int>(k);
  }
  return -1;
}

// Asks again until it is so: five seconds, and how long these last under callgrind.
bool comes(const char* run, std::string_view request, std::string_view wanted) {
  for (int i = 0; i < 500; ++i) {
    if (bench::ask_itself(run, request).find(wanted) != std::string::npos) return true;
    usleep(10000);
  }
  return bench::answers(run, request, wanted);
}

bool set_mode(const std::string& mode, const char* run) {
  if (mode == "none") return bench::switch_off(run);
  // A process knows a communicator once its first records are drained, and refuses while it is too busy.
  if (mode == "armed")
    return bench::answers(run, "flush\n", "\"flushed\":true") &&
           comes(run, "capture arm far kinds=step by=position:0x1:1000000000:1\n",
                 "\"state\":\"armed\"");
  if (mode != "captured") return true;
  lockstep_mark_capture_start("past");
  lockstep_mark_capture_stop("past");
  return comes(run, "capture status program-1\n", "\"state\":\"stopped\"");
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
    return std::fprintf(stderr,
                        "usage: few_calls PLUGIN.so KIND N [all|none|inert|armed|captured]\n"),
           2;
  const std::string mode = argc == 5 ? argv[4] : "all";
  setenv("LOCKSTEP_ENABLE", mode == "inert" ? "0" : "1", 1);
  setenv("LOCKSTEP_EVENTS", "all", 0);
  bench::Host host = bench::Host::load(argv[1]);
  host.init(1);
  bench::Descr d = bench::descriptor(static_cast<Kind>(kind), nullptr);
  const auto state =
      static_cast<abi::State>(kind == static_cast<int>(Kind::KernelCh) ? kKernelChStop : kSendWait);
  few_calls(host, d, state, 100);  // the thread's first block, the first names
  if (!set_mode(mode, getenv("LOCKSTEP_DIR"))) return 3;
  few_calls(host, d, state, std::strtoull(argv[3], nullptr, 10));
  host.finalize();
  return 0;
}
