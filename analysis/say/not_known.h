// What a recording cannot tell, in English: the only place where these sentences are made. As
// findings.h.
#pragma once

#include <string>
#include <vector>

#include "analysis/judge/not_known.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

std::string sentence(const RunTables& run, const NotKnown& gap);
std::vector<std::string> sentences(const RunTables& run, const std::vector<NotKnown>& gaps);

// For who takes the tables themselves, unjudged: what the reader met, and clocks that differ.
std::vector<std::string> table_notes(const RunTables& run);

}  // namespace lockstep::analysis
