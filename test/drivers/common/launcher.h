// Which rank of how many this process is: told on the command line, or by the launcher's
// environment (torchrun, mpirun, srun), or nobody said and one process starts all ranks of this
// machine.
#pragma once

#include <string>

#include "base/command_line.h"

namespace lockstep::driver {

constexpr int kNobody = -1;

struct LaunchPlace {
  int rank = kNobody;  // kNobody: this process starts all ranks
  int world = 2;
  std::string master;  // HOST:PORT of rank 0
};

struct PlaceOptions {
  base::Argument ranks;
  base::Argument world;
};

// --ranks, --rank, --world, --master.
PlaceOptions add_place_options(base::Command& program, LaunchPlace* place);
// After parsing. What is wrong with it, or nothing.
std::string settle_place(const PlaceOptions& given, LaunchPlace* place);

}  // namespace lockstep::driver
