// The answers of a report, one sentence each, and its single numbers (aggregate.csv). Called by
// make_report() only.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/judge/judge.h"
#include "analysis/report/report_data.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

// Call (else enqueue, else kernel start) to finish; kNoTime when not known.
int64_t elapsed_of(const OperationRow& op);

// What dominates, and who is late: whom the judgement accuses of it.
std::vector<std::string> answer_sentences(const RunTables& run, const Judgement& judgement,
                                          const Report& report);
std::vector<std::pair<std::string, std::string>> metrics_of(const RunTables& run,
                                                            const Report& report);

}  // namespace lockstep::analysis
