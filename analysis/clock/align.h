// Puts the hosts of a run on one clock: reads what the probers recorded, adds what the collectives
// prove where nothing was probed, solves the graph, checks the answer against the collectives,
// grades it. `lockstep align` saves the model beside the segments, `lockstep clock` prints it.
// Offline, one thread. What cannot be aligned is said in the model's faults, never guessed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/clock/causality.h"
#include "analysis/clock/clock_grade.h"
#include "analysis/clock/clock_input.h"
#include "analysis/clock/probed.h"
#include "clocksync/solve/graph_solver.h"

namespace lockstep::analysis {

struct PairView {
  std::string a, b;
  int64_t at_raw_ns = 0;  // on a's clock
  clocksync::PairOffset offset;
  // What follows from the declared asymmetry, if that holds; none when nothing was declared.
  std::optional<clocksync::PairOffset> conditional;
  clocksync::OffsetSource source = clocksync::OffsetSource::None;
};

struct AlignOptions {
  std::optional<int64_t> at_raw_ns;  // the instant of every pair's first host; default: mid-run
  // Without the segments, which of a running job are many: what the probers found, and no check of it
  // against the collectives.
  bool probes_only = false;
  // Of the segments only what tells which hosts are one machine: cheap, and exact where the probes and
  // that connect all hosts; where they do not, the collectives have to be read.
  bool without_collectives = false;
};

struct Alignment {
  clocksync::ClockModel model;
  std::vector<HostView> hosts;
  std::vector<PairView> pairs;  // all, or for more than kMaxHostsForAllPairs only the edges'
  std::vector<Graded> edges;    // of model.edges
  // How well each of hosts and of model.edges was probed.
  std::vector<Probed> probed_hosts, probed_edges;
  std::vector<ClockFault> prober_faults;
  Causality causality;
  std::vector<PairCausality> causality_pairs;
  std::vector<std::string> notes;
  std::vector<std::string> damage;      // of the notes: what cannot be read
  std::optional<int64_t> asymmetry_ns;  // declared

  bool all_connected() const;
};

inline constexpr size_t kMaxHostsForAllPairs = 64;

Result<Alignment> align_run(const std::string& directory, const AlignOptions& options);

// The hosts of a model, as align_run() has them or as it was saved.
std::vector<HostView> view_hosts(const clocksync::ClockModel& model);

}  // namespace lockstep::analysis
