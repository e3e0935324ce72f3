// What a process holds of the system's: for tests that it holds no more after many communicators
// than after a few.
#pragma once

#include <string>

namespace lockstep::driver {

struct Census {
  int threads = 0, files = 0, mappings = 0;
};

Census take_census();
std::string to_json(const Census& census);

}  // namespace lockstep::driver
