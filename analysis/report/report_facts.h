// Parts of make_report(): what can be said in sentences and single numbers. Called by it only.
#pragma once

#include "analysis/report/report.h"

namespace lockstep::analysis {

// Call (else enqueue, else kernel start) to finish; kNoTime when not known.
int64_t elapsed_of(const OperationRow& op);

std::string clock_sentence(const RunTables& run);
std::vector<std::string> coverage_sentences(const RunTables& run, const Diagnosis& diagnosis);
std::vector<std::string> answer_sentences(const Report& report);
std::vector<std::pair<std::string, std::string>> metrics_of(const RunTables& run,
                                                            const Report& report);

}  // namespace lockstep::analysis
