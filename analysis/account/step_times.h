// The critical path summed up: by training step, and by what is called in them. Plain sums of the pieces,
// so that steps, and phases, add up to the run. Linear in the pieces. Pure functions.
#pragma once

#include <vector>

#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

struct StepTime {
  uint32_t step = kNoRow;  // kNoRow: the pieces of no step, together
  int64_t start_ns = kNoTime, end_ns = kNoTime;
  int64_t own_ns = 0, transfer_ns = 0, excess_ns = 0;
  int64_t gain_ns = 0;  // of the piece with most to win
  // Whose own time is most beyond the usual on the path, or where nobody's is, whose is longest; and the
  // communicator whose transfers take most of it.
  uint32_t process = kNoRow, communicator = kNoRow;
  int64_t duration_ns() const { return own_ns + transfer_ns; }
};
// In the order of the path.
std::vector<StepTime> find_step_times(const std::vector<CriticalPathRow>& path);

// Operations of one function and size on communicators of as many ranks.
struct PhaseTime {
  Text func = 0;
  uint64_t size_bytes = 0;
  int32_t nranks = 0;
  uint64_t operations = 0;  // on the path
  int64_t own_ns = 0;       // before them
  int64_t transfer_ns = 0, excess_ns = 0;
};
// What takes most time first.
std::vector<PhaseTime> find_phase_times(const RunTables& run,
                                        const std::vector<CriticalPathRow>& path);

}  // namespace lockstep::analysis
