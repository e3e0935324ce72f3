// The operations of a run by class: role and reach of their communicator, function, size class, algorithm and protocol
// (analysis/tables/classes.h, analysis/relate/roles.h). Each call of a rank is in one line; parts of an assembled
// operation are in its line. Linear in the operations.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/report_data.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

std::vector<ClassRow> operation_classes(const RunTables& run);  // most time first

SaidTable classes_table(const std::vector<ClassRow>& classes);
// What each communicator is for, and why that is thought; and how much of it is known. `capabilities` by
// row of `communicators`.
SaidTable communicators_table(const std::vector<CommRanks>& communicators,
                              const std::vector<Capability>& capabilities);
std::string report_classes_csv(const Report& report);

}  // namespace lockstep::analysis
