// What one simulated job is asked for: the command line, or a line of a batch. Plain data.
#pragma once

#include <string>
#include <vector>

#include "test/drivers/simulate/process_file.h"

namespace lockstep::simulate {

struct RunOptions {
  std::string directory;
  uint64_t seed = 1;
  int ranks = 8, gpus_per_host = 8;
  int tensor = 0, stages = 0, experts = 0;  // 0: the schedule's own
  bool adapter_each = false;                // else each host has one
  uint64_t tree_bytes = 0;                  // the largest all-reduce that goes up and down trees
  std::string schedule = "ddp";
  int steps = 20, layers = 4, micro_batches = 4, run_ahead = 1024;
  int sync_every = 1;                   // steps after which the host waits for its GPU
  uint64_t layer_us = 1'000;            // forward; backward takes twice that
  uint64_t layer_bytes = 32 << 20;      // parameters of a layer on one rank
  uint64_t activation_bytes = 4 << 20;  // between layers of tensor ranks, stages and experts
  std::string events = "proxy";
  std::vector<std::string> noise = {"jitter"};
  std::vector<std::string> classes;  // none: healthy
  double size = 0;                   // of the first class; 0: the class's own
  int rank = -1, at_step = -1;       // likewise; -1: drawn
  ProcessEnd hung_end = ProcessEnd::Recovered;
  bool unnamed = false;  // communicators have no names
  bool aligned = true;   // clock_model.json for several hosts
};

}  // namespace lockstep::simulate
