// Training steps as they are programmed: what each rank of a layout does in one step under a named
// schedule. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "lockstep/status.h"
#include "test/drivers/simulate/layout.h"
#include "test/drivers/simulate/program.h"

namespace lockstep::simulate {

struct ScheduleOptions {
  std::string name = "ddp";
  int layers = 4;                      // of a stage
  int micro_batches = 4;               // of pipelines
  int64_t layer_ns = 1'000'000;        // forward; backward takes twice that
  uint64_t layer_bytes = 32ull << 20;  // parameters of a layer on one rank
  uint64_t activation_bytes = 4ull << 20;
  // Structure, no fault: this stage, or the rank of each expert group, has more to do, by this factor.
  int heavy_stage = -1, heavy_expert = -1;
  double heavy = 1;
};

struct ScheduleInfo {
  const char *name, *help;
  int tensor, stages, experts;  // what it needs where the user says nothing; 1 = none
};
const std::vector<ScheduleInfo>& schedules();
const ScheduleInfo* find_schedule(const std::string& name);

// A program for each world rank. The error names what the schedule lacks.
Result<std::vector<Program>> make_programs(const ScheduleOptions& options, const Layout& layout);

}  // namespace lockstep::simulate
