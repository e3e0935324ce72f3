// `--when 'operation AllReduce > 50 ms'`: what a capture waits for. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/tables/run_tables.h"
#include "lockstep/status.h"

namespace lockstep::cli {

// An operation that took longer than this, from its call to its end, or that has not ended for so long.
struct Trigger {
  std::string func;  // empty: any
  int64_t longer_ns = 0;
};

// The error says how it is written.
Result<Trigger> parse_trigger(const std::string& text);

// One that ended, or was seen last, after `after_ns` of the run's axis: a sentence on it.
std::optional<std::string> fired(const Trigger& trigger, const analysis::RunTables& run,
                                 int64_t after_ns);

// Where the run's recording ends, on its axis; 0: nothing is recorded.
int64_t end_of(const analysis::RunTables& run);

}  // namespace lockstep::cli
