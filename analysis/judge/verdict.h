// From a cause in the wait graph to a finding: who is to blame, how sure that is, and what it rests on.
// A rank that waits in no operation never called what the others wait in, and its process says why; in
// an operation that all have entered, ranks that disagree come first, then the network operations
// decide (transport_verdict.h); a circle is a deadlock. Used by judge_hangs().
#pragma once

#include <optional>
#include <vector>

#include "analysis/judge/finding.h"
#include "analysis/judge/not_known.h"
#include "analysis/waits/wait_graph.h"

namespace lockstep::analysis {

struct Verdict {
  std::optional<Finding> finding;  // none: too early to tell, or nothing wrong
  std::vector<NotKnown> not_known;
};

// `cause` with the stall that it is judged by.
Verdict judge_cause(const RunTables& run, const WaitGraph& graph, const HangCause& cause,
                    const Stall& stall);

}  // namespace lockstep::analysis
