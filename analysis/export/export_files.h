// How exporters walk over the processes of a run, each told to options.progress, and how the
// formats with a file per process make those. One thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analysis/export/export.h"

namespace lockstep::analysis {

// Calls work(process) for each row of `processes` until one fails.
template <class Work>
Status for_each_process(const RunTables& run, const ExportOptions& options, const Work& work) {
  const size_t count = run.processes.size();
  for (uint32_t i = 0; i < count; ++i) {
    report(options, static_cast<double>(i) / static_cast<double>(count));
    Status done = work(i);
    if (!done.ok()) return done;
  }
  report(options, 1);
  return {};
}

struct ProcessFiles {
  std::function<std::string(uint32_t process)> name;
  // `operations`: the process's rows, in order.
  std::function<void(uint32_t process, const std::vector<uint32_t>& operations, OutputFile* file)>
      write;
  const char* mark;  // OutputDirectory::commit()
};
// Makes the directory options.output of them.
Status write_process_files(const RunTables& run, const ExportOptions& options,
                           const ProcessFiles& files);

}  // namespace lockstep::analysis
