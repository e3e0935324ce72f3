// What a person wants to know of a run, as numbers: what dominates, who waits for whom, how even
// the ranks are, what is not known. make_report() computes them once from the tables, in one
// thread, linear in the operations; write_report() writes summary.md, operations.csv,
// aggregate.csv, top.csv, steps.csv, classes.csv, spread.csv and report.html from them. Called by `lockstep report`. Nothing here
// prints or reads the recording.
#pragma once

#include <string>
#include <vector>

#include "analysis/judge/judge.h"
#include "analysis/report/report_compare.h"
#include "analysis/report/report_data.h"
#include "analysis/tables/run_tables.h"
#include "base/output_file.h"
#include "lockstep/status.h"

namespace lockstep::analysis {

Spread spread_of(std::vector<int64_t>* samples);  // reorders them

// Most elapsed time first.
std::vector<SignatureRow> make_signatures(const RunTables& run);

// `top`: lines per ranking that will be written at most.
Report make_report(const RunTables& run, const Judgement& judgement, const std::string& title,
                   size_t top = 20);

struct ReportOptions {
  std::string directory;  // made when it is not there
  IfExists if_exists = IfExists::Refuse;
  size_t top = 20;                         // lines per ranking in top.csv
  const Comparison* comparison = nullptr;  // with earlier runs, for the page
  bool is_final = true;  // summary/final/ leads to these files; a snapshot's does not
};

// Each file appears whole or not at all; none is written when one is there and may not be replaced.
Status write_report(const Report& report, const ReportOptions& options);

}  // namespace lockstep::analysis
