// What recording costs this process, measured without touching the hot path: every 100 ms the
// keeper thread, its caches cold from sleeping as those of NCCL's threads are, makes a few real
// calls of the recorder into a scratch block and times them; their mean times the number of calls
// NCCL made is the cost of the callbacks. To it comes the processor time of our own threads. With a
// budget, kinds are held back while the last second was above it, least valuable first, and come
// back one class at a time after ten seconds below half of it. Keeper thread only.
#pragma once

#include <memory>

#include "dumper/drain/dump_thread.h"
#include "dumper/drain/overhead.h"
#include "plugin/record/event_switch.h"
#include "plugin/record/recorder.h"

namespace lockstep::plugin {

class OverheadMeter {
 public:
  // All outlive this. A budget of 0 percent is none.
  OverheadMeter(EventSwitch& events, const dumper::DumpThread& dump, dumper::Overhead& overhead,
                double budget_percent);
  // Every 100 ms.
  void tick();

 private:
  struct Totals {
    uint64_t elapsed_ns = 0, cost_ns = 0;
  };

  void sample_call_cost();
  uint64_t calls_so_far() const;
  void keep_budget(const Totals& now);

  EventSwitch& events_;
  const dumper::DumpThread& dump_;
  dumper::Overhead& overhead_;
  double budget_percent_;
  std::unique_ptr<char[]> scratch_;
  double call_ns_ = 0;  // mean, older samples fading
  uint64_t started_mono_ns_, calls_counted_ = 0;
  Totals second_began_;
  unsigned classes_held_ = 0, seconds_below_ = 0;
};

// The order in which a budget gives up kinds.
uint32_t kinds_of_first_classes(unsigned classes);

}  // namespace lockstep::plugin
