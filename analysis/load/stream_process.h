// The streamed tables of a loaded run: `events` and `proxy_steps` can be far larger than memory, so
// their rows go to a DetailSink, process by process. stream_process() may be called from several
// threads for different processes. Nothing here prints or exits.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "analysis/tables/run_tables.h"
#include "lockstep/status.h"

namespace lockstep::analysis {

// `run` must be what load_run() made of the same directory; `process` is a row of its `processes`.
// Texts of the rows are numbers of run.strings.
Status stream_process(const std::string& directory, const RunTables& run, uint32_t process,
                      DetailSink* sink);

// Streams the rows of one process; stream_process() bound to a directory, or a test's own rows.
using StreamDetails = std::function<Status(uint32_t process, DetailSink* sink)>;

// Likewise, but reads no more than what was recorded between two instants of the run's axis, whole chunks, and
// somewhat more where the process's clock drifts: rows outside of them may come, those that began before have their start
// missing and do not.
using StreamBetween =
    std::function<Status(uint32_t process, int64_t from_ns, int64_t to_ns, DetailSink* sink)>;

struct ExportInput {
  const RunTables* run = nullptr;
  StreamDetails stream;
  std::string directory = {};  // where the run's files are; empty: there are none
  StreamBetween stream_between = {};
};

// Of a loaded run and its directory; `run` must outlive it.
ExportInput export_input(const std::string& directory, const RunTables& run);

}  // namespace lockstep::analysis
