#include "analysis/inspect/verify_run.h"

#include "analysis/inspect/verify_process.h"
#include "base/json.h"

namespace lockstep::analysis {
std::string RunVerification::to_json() const {
  JsonFields out;
  out.object([&] {
    out.boolean("complete", differences.empty());
    out.number("processes", processes);
    out.number("chunks", chunks);
    out.number("records", records);
    out.number("calls", calls);
    out.number("lost", lost);
    out.number("in_progress", in_progress);
    out.strings("differences", differences);
    out.strings("notes", notes);
  });
  return std::string(out.text());
}

Result<RunVerification> verify_run(const std::string& directory) {
  const auto run = dumper::RunDirectory::open(directory);
  if (!run.ok()) return run.status();
  RunVerification verification;
  for (const dumper::ProcessEntry& process : run.value().processes) {
    ++verification.processes;
    ProcessVerifier(process, &verification).run();
  }
  return verification;
}

}  // namespace lockstep::analysis
