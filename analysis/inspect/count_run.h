// How many calls of each kind a run directory holds, and how many it knows of and does not hold.
// Reads every segment once (the end of it twice where communicators were finalized); memory does
// not depend on the length of the run.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "dumper/run/selection.h"
#include "dumper/segment/counts.h"
#include "lockstep/status.h"

namespace lockstep::analysis {

// Calls by kind; [kUnknownKind] counts calls of kinds nobody knows, [kMarkKind] the program's own
// marks, among the starts.
using KindCounts = std::array<uint64_t, kCountedKinds>;

struct RunCounts {
  uint64_t processes = 0, communicators = 0;
  uint64_t records = 0;
  // Calls: the recorded ones and the folded repeats.
  KindCounts starts{}, states{}, stops{};
  // Calls (starts, states and stops together) counted and not recorded, by reason.
  KindCounts filtered{}, shed{}, folded{}, given_up{}, unknown{};
  uint64_t late = 0;  // records of a communicator made after its finalize
  uint64_t missing_chunks = 0;
  uint64_t damaged_chunks = 0, torn_tails = 0, unreadable_files = 0;
  std::vector<std::string> damage;  // a sentence for each place that cannot be read
  std::string to_json() const;
};

// Of the records selected; what was not recorded is known of the whole run only. The error says why the
// directory cannot be read, or that the selection leaves nothing.
Result<RunCounts> count_run(const std::string& directory, const dumper::Selection& selection);
// Of all records.
Result<RunCounts> count_run(const std::string& directory);

}  // namespace lockstep::analysis
