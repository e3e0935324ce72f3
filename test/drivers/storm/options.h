// The command line of lockstep-storm (main.cc says what each is for).
#pragma once

#include <cstdint>
#include <string>

namespace lockstep::driver {

struct Options {
  std::string plugin, truth, until, end = "finalize";
  unsigned threads = 2, comms = 1, steps = 4, generations = 1;
  uint64_t operations = 0;
  double seconds = 1, rate = 0;
  bool latency = false, unnamed = false, fork_child = false;
};

// False: not understood.
bool parse(int argc, char** argv, Options* options);
void print_usage();

}  // namespace lockstep::driver
