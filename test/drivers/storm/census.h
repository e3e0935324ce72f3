// What a process holds of the system's: for tests that it holds no more after its communicators
// than before, and no more after many than after a few. -1 = could not be read.
#pragma once

#include <string>

namespace lockstep::driver {

struct Census {
  int threads = 0, files = 0, mappings = 0;
  long memory_kib = 0;
};

// Without what malloc keeps of freed memory. Reads under the hard limit of open files, so that a
// process which has no file left can be read.
Census take_census();
// Waits up to 10 s for threads beyond `first`: the kernel lists one for a moment after it was joined, and
// for the sampler of the host's load, which is traced and has little of a busy processor, the plugin waits 50 ms only.
Census take_last_census(const Census& first);
std::string to_json(const Census& census);

}  // namespace lockstep::driver
