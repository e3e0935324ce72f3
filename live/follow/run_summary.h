// What a run's page shows first: its report and a few facts, kept beside its pyramid (docs/viewer-api.md), so that the run
// is opened again without reading its segments. Kept of runs that have ended only. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/pyramid/row_groups.h"
#include "live/follow/kept_headline.h"
#include "lockstep/status.h"

namespace lockstep::serve {

struct RunSummary {
  std::string report;               // the JSON object of `lockstep report --json`
  int64_t from_ns = 0;              // run time where the part begins that the report is about
  int64_t origin_unix_ns = 0;       // CLOCK_REALTIME of run time 0
  bool one_clock = false;           // all hosts are on one
  bool running = false;             // a process of the run still records
  std::vector<std::string> damage;  // as in analysis::RunTables
  analysis::Dimensions dimensions;
  KeptHeadline headline;  // of a report that was just made; it is kept by itself
};

// What a summary was made of: the run's files as they are now, who made it, and from when on.
std::string summary_key(const std::string& directory, int64_t from_ns);

Status write_summary(const std::string& folder, const std::string& key, const RunSummary& summary);
// The error says why there is none with this key.
Result<RunSummary> read_summary(const std::string& folder, const std::string& key);

}  // namespace lockstep::serve
