// What `lockstep info` shows of a run: its processes with their state, communicators and sizes,
// read from facts, chunk headers and ledgers; the records themselves are not decoded except for
// those that name communicators.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "analysis/judge/compare_settings.h"
#include "analysis/relate/split_tree.h"
#include "dumper/run/run_directory.h"
#include "dumper/segment/live_comms.h"

namespace lockstep::analysis {

struct ProcessSummary {
  dumper::ProcessEntry entry;
  std::vector<dumper::CommFacts> communicators;
  uint64_t records = 0, chunks = 0, bytes = 0;
  uint64_t first_raw_ns = 0, last_raw_ns = 0;
  bool ended = false, recovered = false;
  uint64_t lost = 0;  // calls counted and not kept, for whatever reason
  // Around all calls lost for memory, CLOCK_MONOTONIC_RAW, and the same in a sentence; 0, 0 and empty
  // = none, or not known.
  uint64_t shed_from_raw_ns = 0, shed_to_raw_ns = 0;
  std::string shed;
  // What recording cost the process, in percent of its time: callbacks and our own threads
  // (dumper/drain/overhead.h). Below 0 when its ledger does not say.
  double overhead_percent = -1;
  // High-water marks of the memory for records, and by kind of what waited there; 0 = not known.
  uint64_t memory_high_water_bytes = 0;
  std::array<uint64_t, kKinds + 1> most_waiting_bytes{};
  std::string state;  // ended, recovered, running, killed or unknown
};

struct RunSummary {
  std::string directory;
  std::vector<ProcessSummary> processes;
  std::vector<std::string> arenas;      // left by killed processes, or of running ones
  std::vector<std::string> damage;      // a sentence for each place that cannot be read
  std::vector<std::string> load_files;  // what each host's sampler wrote
  std::string mixed_jobs;               // a sentence when processes of several jobs lie here
  std::vector<SettingDifference> different_settings;  // between its processes
  SplitTree split_tree;                               // of its communicators
  std::string to_json() const;
};

// The error says why the directory cannot be read.
Result<RunSummary> describe_run(const std::string& directory);

}  // namespace lockstep::analysis
