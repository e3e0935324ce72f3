// What ranks usually call: the call that followed, elsewhere in the run, on the same few calls before
// it. A training job repeats itself, so this tells which of two ranks that disagree is right, and who
// left the usual order. Reads the tables anew for each question; asked only about ties and circles.
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/tables/run_tables.h"
#include "analysis/waits/passed_values.h"
#include "analysis/waits/stalls.h"

namespace lockstep::analysis {

// The one of `passed.groups` that passed what usually follows there, on earlier steps and on other
// communicators of as many ranks; none when that does not tell.
std::optional<size_t> usual_group(const RunTables& run, const Stall& stall,
                                  const PassedValues& passed);

// Its process usually calls something else at this place, and never this.
bool out_of_order(const RunTables& run, uint32_t operation);

}  // namespace lockstep::analysis
