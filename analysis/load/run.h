// A run directory as tables: every segment is read once, processes in parallel, and tables are made of them
// (analysis/relate/relate.h). They are plain memory that any number of threads may read; `events` and `proxy_steps` are
// streamed instead (stream_process.h). Nothing here judges, prints or exits; what could not be read is in
// RunTables::notes, one sentence each.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analysis/join/part_file.h"
#include "analysis/join/process_load.h"
#include "analysis/relate/relate.h"
#include "analysis/tables/run_tables.h"
#include "dumper/run/read_places.h"
#include "dumper/run/run_directory.h"
#include "dumper/run/selection.h"
#include "lockstep/status.h"

namespace lockstep::analysis {

struct LoadOptions {
  unsigned threads = 0;                  // 0 = as many as the machine has
  std::function<void(double)> progress;  // 0..1, called from one thread at a time; may be empty
  // Folder with all processes, already read and joined by share_of_processes() (node_share.h);
  // empty: they are read from the directory.
  std::string parts;
  PartRows part_rows = PartRows::All;
  dumper::Selection selection;  // not with parts
  // Also what processes of this host have recorded and not written yet: where each stands now.
  bool memory = false;
  // Of load_run(): leave each host's times on its own clock, though the directory has a clock model.
  bool own_clocks = false;
  // Of who reads one part after another; may be null. `over`: the part before, whose rows are not needed any more.
  dumper::ReadPlaces* places = nullptr;
  RunTables* over = nullptr;
  // Of operations RunTables::brief in place of `operations`: a quarter of the memory, for who wants cells. Not with parts.
  bool brief = false;
  // As in ProcessTerms.
  bool about = false;
  int64_t context_ns = 0;
  clocksync::GpuPrecision gpu_clocks = clocksync::GpuPrecision::Exact;
};

// Read and related, each host's times on its own clock; of a directory that is open already. options.parts and
// options.selection are left alone.
std::unique_ptr<RunTables> load_opened(const dumper::RunDirectory& opened,
                                       const LoadOptions& options);

// Read and related, on the run's clock where the directory has a model. The error names the directory and what is wrong
// with it. A run that is still being written is read as far as it is.
Result<std::unique_ptr<RunTables>> load_run(const std::string& directory,
                                            const LoadOptions& options);

}  // namespace lockstep::analysis
