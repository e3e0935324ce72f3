// A run directory as tables: read_run() reads every segment once, processes in parallel; relate()
// (analysis/relate/relate.h) makes tables of them; load_run() is both. The tables are plain memory
// that any number of threads may read; `events` and `proxy_steps` are streamed instead
// (stream_process.h). Nothing here judges, prints or exits; what could not be read is in
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
  // Of who reads one part after another; may be null.
  dumper::ReadPlaces* places = nullptr;
  // Of operations RunTables::brief in place of `operations`: a quarter of the memory, for who wants cells. Not with parts.
  bool brief = false;
  // As in ProcessTerms.
  bool about = false;
  clocksync::GpuPrecision gpu_clocks = clocksync::GpuPrecision::Exact;
};

// The error names the directory and what is wrong with it. A run that is still being written is read
// as far as it is.
Result<ReadRun> read_run(const std::string& directory, const LoadOptions& options);
// Of a directory that is open already; options.parts and options.selection are left alone.
ReadRun read_run(const dumper::RunDirectory& opened, const LoadOptions& options);

// Read and related, on the run's clock where the directory has a model.
Result<std::unique_ptr<RunTables>> load_run(const std::string& directory,
                                            const LoadOptions& options);

}  // namespace lockstep::analysis
