#include "analysis/relate/run_clock.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "clocksync/record/clock_model_json.h"

namespace lockstep::analysis {
namespace {

using clocksync::ClockKnot;
using clocksync::ClockModel;
using clocksync::GlobalTime;
using clocksync::HostModel;

// The estimate errs by at most the farther end of its interval.
int64_t error_ns(const GlobalTime& time) {
  return std::max(time.hi_ns - time.ns, time.ns - time.lo_ns);
}

void move(HostAxis* axis, std::initializer_list<int64_t*> times) {
  for (int64_t* time : times) {
    if (*time != kNoTime) *time = axis->to_run_ns(*time);
  }
}

void move_process(const ClockModel& model, const HostModel& host, HostAxis* axis, ProcessRow* row) {
  const int64_t first_ns = row->first_ns;
  row->aligned = 1;
  for (const int64_t end_ns : {row->first_ns, row->last_ns}) {
    if (end_ns == kNoTime) continue;
    const auto time = model.to_global(host, end_ns);
    if (time) row->clock_error_ns = std::max(row->clock_error_ns, error_ns(*time));
  }
  for (const ClockKnot& knot : host.knots) {
    if (knot.local_raw_ns < row->first_ns || knot.local_raw_ns > row->last_ns) continue;
    row->clock_error_ns =
        std::max({row->clock_error_ns, knot.hi_ns - knot.theta_ns, knot.theta_ns - knot.lo_ns});
  }
  move(axis, {&row->first_ns, &row->last_ns, &row->heard_ns});
  if (first_ns != kNoTime) row->raw_offset_ns = row->first_ns - first_ns;
}

void add_clock_rows(const ClockModel& model, RunTables* run) {
  for (const HostModel& host : model.hosts) {
    if (model.hosts[host.component].host != model.reference) continue;
    const Text name = run->strings.intern(host.host);
    const Text source = run->strings.intern(to_string(host.source));
    for (const ClockKnot& knot : host.knots) {
      const int64_t error = std::max(knot.hi_ns - knot.theta_ns, knot.theta_ns - knot.lo_ns);
      run->clock.push_back({name, knot.local_raw_ns, -knot.theta_ns, error, source});
    }
  }
}

const HostModel* aligned_host(const ClockModel& model, const RunTables& run, uint32_t process) {
  const HostModel* host = model.find(run.text(run.processes[process].host));
  if (host == nullptr || host->knots.empty()) return nullptr;
  return model.hosts[host->component].host == model.reference ? host : nullptr;
}

template <typename Row>
void move_rows(RunTables* run, std::vector<HostAxis>* axes) {
  for (Row& row : operations_of<Row>(*run)) {
    HostAxis* axis = &(*axes)[row.process];
    move(axis, {&row.api_start_ns, &row.api_stop_ns, &row.enqueue_ns, &row.kernel_start_ns,
                &row.kernel_stop_ns, &row.kernel_seen_ns, &row.last_progress_ns, &row.finish_ns});
    if constexpr (std::is_same_v<Row, OperationRow>)
      move(axis, {&row.launch_ns, &row.proxy_start_ns, &row.sent_ns, &row.received_ns,
                  &row.sends_seen_ns, &row.receives_seen_ns});
  }
  for (MemberRow& row : run->members) {
    if (row.process != kNoRow) move(&(*axes)[row.process], {&row.init_ns, &row.finalize_ns});
  }
  for (OpenTransportRow& row : run->open_transports) move(&(*axes)[row.process], {&row.since_ns});
  for (ChannelEndRow& row : run->channel_ends)
    move(&(*axes)[operations_of<Row>(*run)[row.operation].process], {&row.done_ns, &row.seen_ns});
  for (MarkedStepRow& row : run->rank_steps)
    move(&(*axes)[row.process], {&row.start_ns, &row.finish_ns});
  for (RangeRow& row : run->ranges) move(&(*axes)[row.process], {&row.start_ns, &row.finish_ns});
}

}  // namespace

template <typename Row>
void apply_clock_model(const std::string& directory, RunTables* run) {
  const std::string path = directory + "/" + clocksync::kClockModelFile;
  if (access(path.c_str(), F_OK) != 0) return;
  Result<ClockModel> loaded = clocksync::load_clock_model(path);
  if (!loaded.ok()) {
    run->notes.push_back(loaded.message());
    return;
  }
  put_on_clock<Row>(std::make_shared<const ClockModel>(std::move(loaded.value())), run);
}
template void apply_clock_model<OperationRow>(const std::string& directory, RunTables* run);
template void apply_clock_model<BriefOperation>(const std::string& directory, RunTables* run);

template <typename Row>
void put_on_clock(std::shared_ptr<const ClockModel> of_run, RunTables* run) {
  const ClockModel& model = *of_run;
  run->clock_model = std::move(of_run);
  std::vector<HostAxis> axes;
  for (uint32_t p = 0; p < run->processes.size(); ++p) axes.emplace_back(*run, p);
  move_rows<Row>(run, &axes);
  for (uint32_t p = 0; p < run->processes.size(); ++p) {
    const HostModel* host = aligned_host(model, *run, p);
    if (host != nullptr) move_process(model, *host, &axes[p], &run->processes[p]);
  }
  add_clock_rows(model, run);
}
template void put_on_clock<OperationRow>(std::shared_ptr<const ClockModel> of_run, RunTables* run);

ClockErrors::ClockErrors(const RunTables& run) : run_(run) {
  for (uint32_t p = 0; p < run.processes.size(); ++p)
    hosts_.push_back(run.clock_model == nullptr ? nullptr : aligned_host(*run.clock_model, run, p));
}

int64_t ClockErrors::at(uint32_t process, int64_t run_ns) const {
  const ProcessRow& row = run_.processes[process];
  if (hosts_[process] == nullptr) return row.clock_error_ns;
  // The offset drifts by far less than what a bound changes by in that time.
  const auto time = run_.clock_model->to_global(*hosts_[process], run_ns - row.raw_offset_ns);
  return time ? error_ns(*time) : row.clock_error_ns;
}

HostAxis::HostAxis(const RunTables& run, uint32_t process) : model_(run.clock_model.get()) {
  if (model_ != nullptr) host_ = aligned_host(*model_, run, process);
}

int64_t HostAxis::to_run_ns(int64_t raw_ns) {
  if (host_ == nullptr) return raw_ns;
  if (raw_ns < from_ns_ || raw_ns > to_ns_) {
    const auto& knots = host_->knots;
    const auto right =
        std::upper_bound(knots.begin(), knots.end(), raw_ns,
                         [](int64_t ns, const ClockKnot& knot) { return ns < knot.local_raw_ns; });
    if (right == knots.begin() || right == knots.end()) {
      return model_->to_global(*host_, raw_ns)->ns;
    }
    const ClockKnot& left = *(right - 1);
    from_ns_ = left.local_raw_ns;
    to_ns_ = right->local_raw_ns;
    theta_ns_ = left.theta_ns;
    slope_ = static_cast<double>(right->theta_ns - left.theta_ns) /
             static_cast<double>(to_ns_ - from_ns_);
  }
  return raw_ns - theta_ns_ - std::llround(slope_ * static_cast<double>(raw_ns - from_ns_));
}

}  // namespace lockstep::analysis
