// What lockstep-simulate takes on its command line and on each line of a batch. Main thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "test/drivers/simulate/run_options.h"

namespace lockstep::simulate {

struct Arguments {
  RunOptions run;
  bool list = false;
  int count = 0;      // runs, each with the next seed, in OUT/SEED
  std::string batch;  // a file with the arguments of one run on each line
};

// Not empty: help or a mistake was printed, and this is the exit status.
std::optional<int> parse(const std::vector<std::string>& words, Arguments* arguments);

}  // namespace lockstep::simulate
