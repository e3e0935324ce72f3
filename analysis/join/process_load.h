// Reads and joins one process of a run directory, for load_run()'s worker threads. Called from any
// thread.
#pragma once

#include <memory>

#include "analysis/join/join_memory.h"
#include "analysis/join/loaded_process.h"
#include "clocksync/solve/gpu_clock.h"
#include "dumper/run/living_memory.h"
#include "dumper/run/read_places.h"
#include "dumper/run/run_directory.h"
#include "dumper/run/selection.h"

namespace lockstep::analysis {

struct ProcessTerms {
  // What the process, which still runs, has not written yet; read before the segments.
  const dumper::LivingMemory* memory = nullptr;
  // What reading other parts of it has found out, where parts are read one after another.
  dumper::ProcessPlaces* places = nullptr;
  clocksync::GpuPrecision gpu_clocks = clocksync::GpuPrecision::Exact;
  // Not null: of operations ProcessOperations::brief in place of `rows`, joined with this memory.
  JoinMemory* brief = nullptr;
  // Of a span: nothing is read around it, nor all before it for communicators that nobody uses in it. For who wants to know
  // how many operations there are, about.
  bool about = false;
  // Of a span: so much of it at either end is asked for only because of what lies between. Of operations that reach into
  // the first of these, and no further, the beginning is not looked for, and nothing is read behind the last.
  int64_t context_ns = 0;
};

std::unique_ptr<LoadedProcess> load_process(const dumper::ProcessEntry& entry,
                                            const ProcessTerms& terms = {});
// The operations that took place in this span, on the communicators wanted. Read with it are ten
// seconds before and behind where it has no context of its own, so that operations that reach into it are whole, and more
// before where that is not enough.
std::unique_ptr<LoadedProcess> load_process(const dumper::ProcessEntry& entry, dumper::RawSpan span,
                                            const dumper::Selection& selection,
                                            const ProcessTerms& terms = {});

// What is to be said of the directory and of none of its processes: unreadable files, jobs that are
// mixed. It goes with the directory's first process.
void add_directory_notes(const dumper::RunDirectory& directory, LoadedProcess* first);

}  // namespace lockstep::analysis
