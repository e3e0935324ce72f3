#include "hostload/sample/counter_changes.h"

namespace lockstep::hostload {

void CounterChanges::add(const LoadCounter& counter, int64_t raw_ns, int64_t value,
                         std::vector<LoadCounter>* counters, std::vector<CounterValue>* values) {
  const Key key(counter.device, counter.port, counter.name);
  auto found = last_.find(key);
  if (found != last_.end() && found->second.value == value) return;
  if (found == last_.end()) {
    if (last_.size() == kMostCounters) return;
    found = last_.emplace(key, Last()).first;
  }
  Last& last = found->second;
  if (last.place == kNotListed) {
    last.place = counters->size();
    counters->push_back(counter);
  }
  last.value = value;
  values->push_back({static_cast<int64_t>(last.place), raw_ns, value});
}

void CounterChanges::begin_chunk() {
  for (auto& [key, last] : last_) last.place = kNotListed;
}

}  // namespace lockstep::hostload
