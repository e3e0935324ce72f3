// A job that stands still where only calls were recorded: everybody has called the same, and nobody has
// called anything for far longer than ever before. Whether a GPU or the network holds it up, and whose,
// cannot be seen then. Used by judge() when no hang or mismatch was found; reads the tables from one
// thread.
#pragma once

#include <optional>

#include "analysis/judge/finding.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

std::optional<Finding> find_standstill(const RunTables& run);

// Whether it does so, whoever has called what.
bool stands_still(const RunTables& run);

}  // namespace lockstep::analysis
