// truth.json: what is wrong with a simulated run, where, when and by how much, and what is in its
// recording. docs/drivers.md has the fields.
#pragma once

#include <string>
#include <vector>

#include "test/drivers/simulate/engine.h"
#include "test/drivers/simulate/fault.h"
#include "test/drivers/simulate/recording.h"
#include "test/drivers/simulate/run_options.h"

namespace lockstep::simulate {

struct Truth {
  const RunOptions& options;
  const Layout& layout;
  const std::vector<Program>& programs;
  const std::vector<Fault>& faults;
  const Outcome& outcome;
  const RecordedCounts& counts;
  uint32_t events = 0;                   // recorded: a bit per Kind
  int64_t healthy_ns = 0;                // the same run without its faults
  std::vector<int64_t> without_ns = {};  // ... without this one of them, by fault
  std::vector<int64_t> alone_ns = {};    // ... with this one only; both empty in a hang
  int noisy_host = -1;
};

std::string truth_json(const Truth& truth);

}  // namespace lockstep::simulate
