#include "reader/open_run.h"

#include <unistd.h>

#include <utility>

#include "clocksync/record/clock_model_json.h"

namespace lockstep::reader {
namespace {

using clocksync::ClockModel;

Result<ClockModel> load_model(const std::string& directory) {
  const std::string path = directory + "/" + clocksync::kClockModelFile;
  if (access(path.c_str(), F_OK) != 0)
    return Status::error(directory + ": no common clock yet; `lockstep align` makes one");
  return clocksync::load_clock_model(path);
}

}  // namespace

OpenRun::OpenRun(dumper::RunDirectory directory) : directory_(std::move(directory)) {
  for (const dumper::ProcessEntry& process : directory_.processes) {
    const dumper::ProcessFacts& facts = process.facts;
    processes_.push_back({process.host.c_str(), process.pid, facts.nccl_version,
                          facts.boot_id.c_str(), facts.command.c_str(),
                          facts.library_version.c_str(), process.facts_json.c_str()});
  }
}

Result<clocksync::GlobalTime> OpenRun::common_time(size_t process, uint64_t raw_ns) const {
  if (!model_) model_ = load_model(directory_.path);
  if (!model_->ok()) return model_->status();
  const ClockModel& model = model_->value();
  const std::string& name = directory_.processes[process].host;
  const clocksync::HostModel* host = model.find(name);
  if (host == nullptr) {
    return Status::error(directory_.path + "/" + clocksync::kClockModelFile + ": knows no host " +
                         name + "; run `lockstep align` again");
  }
  const auto time = model.to_global(*host, static_cast<int64_t>(raw_ns));
  if (time) return *time;
  return Status::error(name + ": nothing connects its clock with that of " + model.reference +
                       "; `lockstep clock` says why");
}

}  // namespace lockstep::reader
