// Says why, of every finding about lateness, from what the samplers of the hosts wrote beside the
// segments and from the run's own data; and puts one finding about a machine whose processors are too few in
// the place of accusations that only it explains. What is slower than expected is left out where a finding
// explains it. Called after judge(), by the commands; one thread.
#pragma once

#include <string>
#include <vector>

#include "analysis/judge/judge.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

// `run` must be what load_run() made of the directory, and `judgement` what judge() made of that. Returns a sentence for each place of the
// samplers' files that cannot be read.
std::vector<std::string> explain(const std::string& directory, const RunTables& run,
                                 Judgement* judgement);

}  // namespace lockstep::analysis
