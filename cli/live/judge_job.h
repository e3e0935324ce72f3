// A part of a run as `lockstep diagnose` judges it: of a run directory, of a job that runs, and of one
// that was told to record network steps meanwhile (escalation.h). One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/judge/judge.h"
#include "analysis/tables/run_tables.h"
#include "cli/live/escalation.h"
#include "cli/live/live_run.h"

namespace lockstep::cli {

struct Judged {
  std::shared_ptr<const analysis::RunTables> run;
  analysis::Judgement judgement;
  std::vector<std::string> not_known;    // sentences
  std::optional<Escalation> escalation;  // network steps were added meanwhile
};

// Of a run that hangs only the end, as far back as its verdict needs, unless the selection says from when.
// `unsaved`: sentences about what of the run is not in the directory. The error: there is nothing to
// judge.
Result<Judged> judge_directory(const std::string& directory, const dumper::Selection& selection,
                               const std::vector<std::string>& unsaved);

struct LiveJudged {
  std::unique_ptr<LiveRun> live;
  Judged judged;
};

// Asks the job for this part. Who did not answer is among what is not known.
Result<LiveJudged> judge_live(const LiveRunArguments& arguments,
                              const dumper::Selection& selection);

// `first`, where network steps would not say more or cannot be had; else the job judged again after it
// recorded them for `seconds`. `selection` is a last part.
Result<LiveJudged> judge_with_steps(const LiveRunArguments& arguments, dumper::Selection selection,
                                    int64_t seconds, LiveJudged first);

}  // namespace lockstep::cli
