#include "analysis/export/export_files.h"

#include "analysis/export/output_directory.h"

namespace lockstep::analysis {

Status write_process_files(const RunTables& run, const ExportOptions& options,
                           const ProcessFiles& files) {
  auto directory = OutputDirectory::create(options.output, options.if_exists);
  if (!directory.ok()) return directory.status();
  std::vector<std::vector<uint32_t>> operations(run.processes.size());
  for (uint32_t i = 0; i < run.operations.size(); ++i) {
    const uint32_t process = run.operations[i].process;
    if (process < operations.size()) operations[process].push_back(i);
  }
  const Status written = for_each_process(run, options, [&](uint32_t process) {
    auto file = directory.value()->file(files.name(process));
    if (!file.ok()) return file.status();
    files.write(process, operations[process], file.value().get());
    return file.value()->commit();
  });
  return written.ok() ? directory.value()->commit(files.mark) : written;
}

}  // namespace lockstep::analysis
