// The one sentence above everything else: what hangs, or who costs most, or that nothing stands out, or, where the
// recording cannot prove that, what is not known. Pure function of the facts; as findings.h.
#pragma once

#include <cstddef>
#include <string>

#include "analysis/judge/judge.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

enum class HeadlineKind : uint8_t {
  Hangs,    // an operation stands still
  Costs,    // a finding about lost time
  Nothing,  // no finding, and nothing that could hide one is unknown
  Unknown,  // no finding, but there are gaps
};
constexpr const char* kHeadlineKindNames[] = {"hangs", "costs", "nothing", "unknown"};

struct Headline {
  HeadlineKind kind = HeadlineKind::Unknown;
  std::string text;
  double cost_share = -1;    // of the run's time; negative: not known
  size_t waiting_ranks = 0;  // in what hangs; 0: not known
  size_t finding = 0;        // its number in judgement.findings; only where there is one
};

Headline headline(const RunTables& run, const Judgement& judgement);

}  // namespace lockstep::analysis
