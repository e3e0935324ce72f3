// How exporters walk over the processes of a run, each told to options.progress, how the formats
// with a file per process make those, and what export_host() leaves of one host beside the tables:
// how many rows they have, for the summary of the export that puts the hosts together. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "analysis/export/export.h"
#include "analysis/export/export_file.h"

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
  // Of each file, where the user does not say: %r is the rank (rank_names()), %h the host, %p the
  // process id.
  const char* name;
  // `operations`: the process's rows, in order.
  std::function<void(uint32_t process, const std::vector<uint32_t>& operations, ExportFile* file)>
      write;
  const char* mark;  // OutputDirectory::commit()
};
// Makes the directory options.output of them. Fails when two processes would have one name.
Status write_process_files(const RunTables& run, const ExportOptions& options,
                           const ProcessFiles& files);

using RowCounts = std::map<std::string, uint64_t>;  // by table

Status write_row_counts(const std::string& folder, const std::string& host, const RowCounts& rows);
// Adds to `rows`. A host whose file is not there was not exported.
Status add_row_counts(const std::string& folder, const std::string& host, RowCounts* rows);

// The bytes of a file, at the end of another.
Status append_file(const std::string& from, OutputFile* to);

}  // namespace lockstep::analysis
