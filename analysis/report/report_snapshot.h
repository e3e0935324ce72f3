// The report of a run that has ended, compared with the last one that was made while it ran: what differs between the
// two aggregate.csv is what happened in between, or what the shutdown lost.
#pragma once

#include <string>

#include "analysis/report/report_data.h"

namespace lockstep::analysis {

// A sentence about the last snapshot in RUN/summary; empty where there is none.
std::string snapshot_sentence(const std::string& run_directory, const Report& report);

}  // namespace lockstep::analysis
