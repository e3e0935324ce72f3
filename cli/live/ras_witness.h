// NCCL's RAS service as a second witness of a hang: asked once, only where a live job stands still and
// only where asking is safe (NCCL 2.29.2), through one of its processes on this host. What it says of
// the ranks of a finding becomes evidence; it accuses nobody by itself. One thread.
#pragma once

#include <string>
#include <vector>

#include "analysis/judge/judge.h"
#include "analysis/tables/run_tables.h"
#include "live/ras/ras_report.h"

namespace lockstep::cli {

// Asks where there is reason to, adds what was said to the findings' evidence, keeps the raw answer
// as ras/<time>.json in the run directory, and gives sentences on what is not known.
std::vector<std::string> hear_ras(const std::string& directory, const analysis::RunTables& run,
                                  analysis::Judgement* judgement);

// Whom to ask in this run: its address, or why nobody is asked.
struct RasDoor {
  std::string address;  // empty: `why_not`
  std::string why_not;  // a sentence; empty where the job does not run here
};
RasDoor ras_door(const analysis::RunTables& run);

// One answer of this run's job: kept in the run directory, and read. The error is a sentence; also
// for the answer of another job.
Result<live::RasReport> ask_run_ras(const std::string& directory, const analysis::RunTables& run,
                                    const std::string& address);

// The row of `members` that RAS calls `rank` of `comm`, by the communicator's id and size and the
// process's id; kNoRow where it is not this run's.
uint32_t member_of(const analysis::RunTables& run, const live::RasCommunicator& comm, int32_t rank,
                   uint32_t pid);

}  // namespace lockstep::cli
