// A run as the server holds it: its tables, what was found in them, and its pyramid. Made once, by one
// thread; read by any.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/load/run.h"
#include "analysis/load/stream_process.h"
#include "analysis/pyramid/pyramid.h"

namespace lockstep::serve {

struct ServedRun {
  std::string directory;
  std::unique_ptr<analysis::RunTables> tables;
  analysis::ExportInput input;
  int64_t origin_ns = 0;        // of analysis::RunTime
  analysis::Activity activity;  // for tiles finer than the pyramid
  std::unique_ptr<analysis::Pyramid> pyramid;
  std::vector<uint32_t> arrivals;  // by operation: its row in `arrivals`, or kNoRow
  std::string report;              // the JSON object of `lockstep report --json`
  bool running = false;

  analysis::RunTime time() const { return {*tables, origin_ns}; }
};

Result<std::unique_ptr<ServedRun>> open_run(const std::string& directory,
                                            const analysis::LoadOptions& options);

}  // namespace lockstep::serve
