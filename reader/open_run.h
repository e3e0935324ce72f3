// A run that was opened: what stands behind a lockstep_run. Shared by the handle and by the records
// that are being read, so that either may be closed first. One thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "clocksync/record/clock_model.h"
#include "dumper/run/run_directory.h"
#include "lockstep/read.h"
#include "lockstep/status.h"

namespace lockstep::reader {

class OpenRun {
 public:
  explicit OpenRun(dumper::RunDirectory directory);
  OpenRun(const OpenRun&) = delete;  // processes_ points into directory_
  OpenRun& operator=(const OpenRun&) = delete;

  const dumper::RunDirectory& directory() const { return directory_; }
  const std::vector<lockstep_process>& processes() const { return processes_; }

  // On the clock of the model's reference host; reads the model at the first call.
  Result<clocksync::GlobalTime> common_time(size_t process, uint64_t raw_ns) const;

 private:
  dumper::RunDirectory directory_;
  std::vector<lockstep_process> processes_;
  mutable std::optional<Result<clocksync::ClockModel>> model_;
};

}  // namespace lockstep::reader
