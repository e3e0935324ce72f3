// The line under a table of a report: of which ranks it is, and what could not be known there. From the
// capabilities alone (analysis/tables/capabilities.h).
#pragma once

#include <string>
#include <vector>

#include "analysis/tables/capabilities.h"

namespace lockstep::analysis {

// What the figures of a table rest on, a bit each.
enum Rests : unsigned {
  kOnCalls = 16,   // only that they were called
  kOnEnds = 1,     // when operations ended: times, transfers, bandwidths
  kOnWaits = 2,    // who came when: waits, and what the critical path is made of
  kOnNetwork = 4,  // network steps: bytes and times of channels and links
  kOnPhases = 8,   // phases of kernels on symmetric memory
};

// "Covers all 8 ranks of world. No network steps were recorded on world, so ..."; empty where `rests` is 0 or
// nothing was called. Communicators without operations are in no table, and so not in its line.
std::string coverage_line(const RunTables& run, const std::vector<Capability>& capabilities,
                          unsigned rests);

}  // namespace lockstep::analysis
