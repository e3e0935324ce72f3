// Why somebody was late, in English. Pure functions of the facts.
#pragma once

#include <string>

#include "analysis/judge/finding.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

// "Of the 65.0 ms that it was late it waited 62.0 ms for a processor, ..."; empty where nobody asked.
std::string why_sentence(const Finding& finding);
std::string lossy_sentence(const RunTables& run, const PathFacts& facts);
std::string machine_sentence(const RunTables& run, const Finding& finding,
                             const MachineFacts& facts);

}  // namespace lockstep::analysis
