// What a verdict about a stall rests on, one sentence for each row of the tables. Used by
// judge_stall().
#pragma once

#include <string>

#include "analysis/judge/finding.h"
#include "analysis/judge/stalls.h"

namespace lockstep::analysis {

// Of a member whose process is dead.
std::string death_of(const RunTables& run, const Stall& stall, const StallMember& member);
// Of a member that never entered the operation.
std::string absence_of(const RunTables& run, const StallMember& member);
// What a rank passed. A launch without its call counts bytes where the call counted elements: then
// only the bytes can be compared, and the type is left out.
std::string value_of(const RunTables& run, const OperationRow& row, bool with_type);
// What each member that is inside did there last.
void add_members(const RunTables& run, const Stall& stall, Finding* finding);

}  // namespace lockstep::analysis
