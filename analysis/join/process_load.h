// One process of a run directory, read and joined: what load_run() collects from its worker
// threads. Everything here has texts of its own pool, so that processes can be read in parallel
// without a lock. Called from any thread.
#pragma once

#include <memory>

#include "analysis/join/operations.h"
#include "dumper/run/run_directory.h"

namespace lockstep::analysis {

struct LoadedProcess {
  StringPool strings;
  ProcessRow row;
  ProcessOperations joined;
  std::vector<LedgerRow> ledger;
  std::vector<std::string> notes;
};

std::unique_ptr<LoadedProcess> load_process(const dumper::ProcessEntry& entry);

}  // namespace lockstep::analysis
