// Whether what a run's last part shows is the whole run's verdict, so that what lies before need not be
// read: a long run that hangs is judged from its end (cli/live/judge_job.h). Reads the tables from one
// thread.
#pragma once

#include <cstdint>

#include "analysis/judge/judge.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

enum class PartReach : uint8_t {
  Explains,  // a hang, all of it: nothing earlier can still be open, or would change who is accused
  ShowsNone,   // all that could still be open is there, and nothing surely hangs
  IsTooShort,  // what was called before it may have a part in the answer
};

// `judgement` is that of the part.
PartReach reach_of(const RunTables& part, const Judgement& judgement);

}  // namespace lockstep::analysis
