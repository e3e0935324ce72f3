// `lockstep diagnose --json`. Pure functions.
#pragma once

#include <string>

#include "analysis/report/kept_findings.h"
#include "cli/live/judge_job.h"
#include "live/asker/ask_all.h"

namespace lockstep::cli {

// `answers`: of a job that was asked while it runs, and then it says when; else null. `kept`: what was found while it ran.
std::string diagnosis_json(const Judged& judged, const live::Answers* answers,
                           const analysis::KeptFindings& kept);

}  // namespace lockstep::cli
