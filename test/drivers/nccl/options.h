// What the command line asks of a run on real GPUs. Plain data, the same in every rank's process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "test/drivers/common/launcher.h"

namespace lockstep::driver {

struct NcclOptions {
  std::string plugin;
  LaunchPlace place;
  std::vector<std::string> ops = {"allreduce"};
  std::vector<uint64_t> sizes = {65536};
  int iterations = 10;
  int groups = 1;
  bool sendrecv = false;
  bool alltoall = false;
  bool split = false;
  int graph_replay = 0;
  int late_rank = kNobody;
  double late_us = 5000;
  double late_fraction = 1;
  int hang_rank = kNobody;
  int dead_rank = kNobody;
  int abort_rank = kNobody;
  int at = 5;
  double stall_us = 10e6;
  uint64_t seed = 1;
  std::string truth;
  bool one_node = false;  // do not pretend that ranks sharing a GPU are on different nodes
  std::string end = "finalize";
};

}  // namespace lockstep::driver
