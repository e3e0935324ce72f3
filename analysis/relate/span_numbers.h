// The same numbers for the same operations where a run was not read, or not recorded, from its beginning. NCCL numbers
// its collectives itself, so that their ordinals are those of the whole run; everything else is
// counted, from whatever each rank has first of what was read. Two ranks' counts of one series (the sends
// of one rank to another and the receives there, the calls of one function) differ by a constant:
// the one that brings the ends of equal operations closest together. Where no ends are known the calls
// stand for them, which is wrong where a rank calls far ahead. The smallest ordinal of such a
// series stays the first of its first rank. Does nothing to a run that is known from its beginning, and
// leaves counts alone whose times do not compare (hosts without a common clock).
#pragma once

#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

enum class NumberedRows { Recorded, Assembled };  // before and after assemble_groups()

// Recorded also gives the same position to the same collective on all ranks of a communicator, but for brief rows, which
// have none.
template <typename Row = OperationRow>
void align_numbers(NumberedRows rows, RunTables* run);

}  // namespace lockstep::analysis
