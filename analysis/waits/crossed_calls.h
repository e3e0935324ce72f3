// Calls that can never end, because ranks called them in orders that contradict each other on one stream: this one first
// A, then B, that one first B, then A. Known from calls alone, where everybody has called everything and nothing tells what
// ended. Reads the tables; linear in the operations.
#pragma once

#include <vector>

#include "analysis/waits/actors.h"

namespace lockstep::analysis {

// By operation, of communicators of which no end is known. None where the job went on after such calls: then streams that
// are not recorded kept them apart.
std::vector<bool> crossed_calls(const RunTables& run, const Actors& actors,
                                const std::vector<bool>& ends_known);

}  // namespace lockstep::analysis
