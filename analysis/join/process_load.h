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
  std::vector<SettingRow> settings;
  std::vector<std::string> notes;
  std::vector<std::string> damage;  // of the notes: what cannot be read
};

std::unique_ptr<LoadedProcess> load_process(const dumper::ProcessEntry& entry);

// What is to be said of the directory and of none of its processes: unreadable files, jobs that are
// mixed. It goes with the directory's first process.
void add_directory_notes(const dumper::RunDirectory& directory, LoadedProcess* first);

}  // namespace lockstep::analysis
