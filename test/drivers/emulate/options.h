// What the command line asks of an emulated run. Plain data, the same in every rank's process;
// main.cc fills it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "test/drivers/common/launcher.h"

namespace lockstep::driver {

struct Workload {
  int nodes = 0;  // reported to the plugin; 0: the hosts, or on one host one per rank
  int comms = 1;  // copies of the world communicator, created at once
  bool split = false;
  // Split children use the parent's progress thread; the parent is destroyed first.
  bool share = false;
  std::vector<std::string> ops = {"allreduce"};
  std::vector<uint64_t> sizes = {65536};  // bytes, one after the other
  int iterations = 10;
  int channels = 2;
  int groups = 1;  // operations in one group
  bool sendrecv = false;
  bool alltoall = false;
  int graph_replay = 0;  // replays per captured operation and iteration
  bool ce = false;
  bool symmetric = false;
  bool user_buffers = false;
  bool device_api = false;
  int streams = 1;
  bool net_events = false;
  int sync_every = 1;
  double rate = 0;   // iterations per second, 0: no limit
  int burst = 0;     // iterations before the rate counts, as fast as it goes
  std::string data;  // a file that each iteration reads first, as a data loader does
  // Whole runs in one process: the plugin is unloaded and loaded again between them.
  int rounds = 1;
  bool hazards = false;
};

// What is wrong on purpose, and with whom.
struct Injection {
  int late_rank = kNobody;
  double late_us = 5000;
  double late_fraction = 1;
  int late_comm = 0;  // in time for the communicators before this one
  int slow_link = kNobody;
  double slow_link_mbps = 100;
  int slow_proxy = kNobody;
  double slow_proxy_us = 200;
  int hang_rank = kNobody;
  int wrong_order = kNobody;
  int mismatch_count = kNobody;
  int stuck_transport = kNobody;
  int dead_rank = kNobody;
  int abort_rank = kNobody;
  int64_t ras_mask = -1;  // -1: RAS leaves the mask alone
  int at = 5;             // the iteration of the seven above
  int peer_wait_repeats = 0;
  int recv_repeats = 0;
  double stall_us = 2.5e6;  // an operation that takes longer is aborted
};

struct GpuClockOptions {
  double offset_us = 0;
  double drift_ppm = 0;
  uint32_t resolution_ns = 32;
};

struct EmulateOptions {
  Workload work;
  Injection inject;
  GpuClockOptions gpu;
  std::string plugin;
  int table = 0;
  uint64_t seed = 1;
  std::string truth;
  std::string end = "finalize";
  double kill_after_us = -1;
  LaunchPlace place;
  int ranks_per_process = 1;  // as threads that share the plugin; from place.rank on
};

}  // namespace lockstep::driver
