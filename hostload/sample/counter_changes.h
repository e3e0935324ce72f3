// Of counters that mostly stand still, what changed: a value goes into the file when it is another than
// the last time. One thread.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "lockstep/load_record.h"

namespace lockstep::hostload {

class CounterChanges {
 public:
  // Most counters of a host; others are left out.
  static constexpr size_t kMostCounters = 4096;

  // The last two are the chunk's lists.
  void add(const LoadCounter& counter, int64_t raw_ns, int64_t value,
           std::vector<LoadCounter>* counters, std::vector<CounterValue>* values);
  // From here on the rows are for another chunk.
  void begin_chunk();

 private:
  static constexpr size_t kNotListed = ~size_t{0};
  struct Last {
    int64_t value = 0;
    size_t place = kNotListed;  // in the chunk's list
  };
  using Key = std::tuple<std::string, uint32_t, std::string>;
  std::map<Key, Last> last_;
};

}  // namespace lockstep::hostload
