// One process of a run directory, read and joined: what load_run() collects from its worker threads.
// Everything here has texts of its own pool, so that processes can be read in parallel without a
// lock. Plain data.
#pragma once

#include <string>
#include <vector>

#include "analysis/join/process_operations.h"
#include "analysis/tables/string_pool.h"
#include "dumper/segment/capture_notes.h"

namespace lockstep::analysis {

struct LoadedProcess {
  StringPool strings;
  ProcessRow row;
  ProcessOperations joined;
  std::vector<LedgerRow> ledger;
  std::vector<SettingRow> settings;
  std::vector<dumper::NotedCapture> captures;  // that its notes tell of
  std::vector<std::string> notes;
  std::vector<std::string> damage;  // of the notes: what cannot be read
};

}  // namespace lockstep::analysis
