// Something that is read on a thread of its own, for a sick driver may never answer. Nobody joins that
// thread: when its SlowReader goes, it ends after its reading. While a reading hangs nothing new comes, and
// nothing else waits. The owner's thread constructs, takes and destroys.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "lockstep/load_record.h"

namespace lockstep::hostload {

struct CounterReading {
  LoadCounter counter;
  int64_t raw_ns = 0, value = 0;
};

class SlowReader {
 public:
  // Called on the thread; what it holds lives as long as the thread does.
  using Read = std::function<std::vector<CounterReading>()>;

  // `name` as `top` shows it, of at most 15 letters. Where no thread can be made, nothing is ever read.
  SlowReader(const char* name, Read read);
  ~SlowReader();
  SlowReader(const SlowReader&) = delete;
  SlowReader& operator=(const SlowReader&) = delete;

  // What was read since the last time, and asks for the next reading.
  std::vector<CounterReading> take();

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace lockstep::hostload
