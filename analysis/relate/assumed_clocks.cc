#include "analysis/relate/assumed_clocks.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>

#include "analysis/relate/arrivals.h"
#include "analysis/relate/run_clock.h"
#include "analysis/tables/collectives.h"
#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

using clocksync::ClockModel;
using clocksync::HostModel;
using clocksync::OffsetSource;

// Collectives that a host needs in common with others.
constexpr size_t kFewestInCommon = 12;
// Quartz drifts by less. A larger slope is lateness that began or ended.
constexpr double kMostDriftPpm = 100;

// How far a clock is ahead of the reference: a line over its own readings.
struct Line {
  int64_t at_ns = 0, ahead_ns = 0;
  double slope = 0;
  int64_t error_ns = 0;  // the median distance from it

  int64_t at(int64_t ns) const {
    return ahead_ns + std::llround(slope * static_cast<double>(ns - at_ns));
  }
};

struct Sample {
  int64_t at_ns = 0, ahead_ns = 0;
};

// Samples by time, at least kFewestInCommon.
Line fit(const std::vector<Sample>& samples) {
  const auto medians = [&](size_t from, size_t to) {
    std::vector<int64_t> at, ahead;
    for (size_t i = from; i < to; ++i) {
      at.push_back(samples[i].at_ns);
      ahead.push_back(samples[i].ahead_ns);
    }
    return Sample{median(&at), median(&ahead)};
  };
  const size_t all = samples.size(), third = all / 3;
  const Sample whole = medians(0, all), early = medians(0, third), late = medians(all - third, all);
  Line line{whole.at_ns, whole.ahead_ns};
  const double slope = static_cast<double>(late.ahead_ns - early.ahead_ns) /
                       static_cast<double>(std::max<int64_t>(1, late.at_ns - early.at_ns));
  if (std::abs(slope) <= kMostDriftPpm * 1e-6) line.slope = slope;
  std::vector<int64_t> off;
  for (const Sample& one : samples) off.push_back(std::abs(one.ahead_ns - line.at(one.at_ns)));
  line.error_ns = median(&off);
  return line;
}

class Assumption {
 public:
  explicit Assumption(const RunTables& run) : run_(run) {}

  std::optional<ClockModel> model() {
    number_hosts();
    if (hosts_.size() < 2) return std::nullopt;
    collect_calls();
    lines_.resize(hosts_.size());
    lines_.front() = Line();
    size_t placed = 1;
    for (bool more = true; more;) {
      more = false;
      for (size_t host = 0; host < hosts_.size(); ++host) {
        if (lines_[host] || !place(host)) continue;
        more = true;
        ++placed;
      }
    }
    if (placed < hosts_.size()) return std::nullopt;
    return as_model();
  }

 private:
  struct Call {
    size_t host = 0;
    int64_t at_ns = 0;
  };

  void number_hosts() {
    std::map<Text, size_t> numbers;
    for (const ProcessRow& process : run_.processes) {
      const auto [at, is_new] = numbers.try_emplace(process.host, hosts_.size());
      if (is_new) hosts_.push_back(process.host);
      host_of_.push_back(at->second);
    }
  }

  // Of each host its middle rank: who of them is late does not move it.
  void collect_calls() {
    collectives_of_.resize(hosts_.size());
    for (const MatchRow& match : run_.matches) {
      if (!ends_together(run_.text(match.func))) continue;
      std::map<size_t, std::vector<int64_t>> times;  // by host
      for (uint32_t a = match.first_arrival; a < match.first_arrival + match.arrivals; ++a) {
        const ArrivalRow& arrival = run_.arrivals[a];
        if (arrival.arrival_ns != kNoTime)
          times[host_of_[arrival.process]].push_back(arrival.arrival_ns);
      }
      if (times.size() < 2) continue;
      std::vector<Call>& calls = collectives_.emplace_back();
      for (auto& [host, of_host] : times) {
        calls.push_back({host, lower_median(&of_host)});
        collectives_of_[host].push_back(collectives_.size() - 1);
      }
    }
  }

  // Among hosts that are placed already.
  bool place(size_t host) {
    std::vector<Sample> samples;
    for (const size_t collective : collectives_of_[host]) {
      std::vector<int64_t> others;
      int64_t own_ns = kNoTime;
      for (const Call& call : collectives_[collective]) {
        if (call.host == host) own_ns = call.at_ns;
        if (lines_[call.host]) others.push_back(call.at_ns - lines_[call.host]->at(call.at_ns));
      }
      if (!others.empty()) samples.push_back({own_ns, own_ns - lower_median(&others)});
    }
    if (samples.size() < kFewestInCommon) return false;
    std::sort(samples.begin(), samples.end(),
              [](const Sample& a, const Sample& b) { return a.at_ns < b.at_ns; });
    lines_[host] = fit(samples);
    return true;
  }

  ClockModel as_model() const {
    ClockModel model;
    model.reference = run_.text(hosts_.front());
    for (size_t host = 0; host < hosts_.size(); ++host) {
      HostModel one;
      one.host = run_.text(hosts_[host]);
      one.source = OffsetSource::Collectives;
      int64_t first_ns = kNoTime, last_ns = kNoTime;
      for (size_t p = 0; p < run_.processes.size(); ++p) {
        if (host_of_[p] != host) continue;
        const ProcessRow& row = run_.processes[p];
        first_ns = first_ns == kNoTime ? row.first_ns : std::min(first_ns, row.first_ns);
        last_ns = std::max(last_ns, row.last_ns);
      }
      for (const int64_t at_ns : {first_ns, std::max(last_ns, first_ns + 1)}) {
        const int64_t theta_ns = lines_[host]->at(at_ns), error_ns = lines_[host]->error_ns;
        one.knots.push_back({at_ns, theta_ns, theta_ns - error_ns, theta_ns + error_ns});
      }
      model.hosts.push_back(std::move(one));
    }
    // component: the reference's place among the hosts by name.
    std::sort(model.hosts.begin(), model.hosts.end(),
              [](const HostModel& a, const HostModel& b) { return a.host < b.host; });
    const auto reference =
        std::find_if(model.hosts.begin(), model.hosts.end(),
                     [&](const HostModel& one) { return one.host == model.reference; });
    for (HostModel& one : model.hosts)
      one.component = static_cast<uint32_t>(reference - model.hosts.begin());
    return model;
  }

  const RunTables& run_;
  std::vector<Text> hosts_;                     // in the order of their first process
  std::vector<size_t> host_of_;                 // by process
  std::vector<std::vector<Call>> collectives_;  // of several hosts
  std::vector<std::vector<size_t>> collectives_of_;
  std::vector<std::optional<Line>> lines_;  // by host
};

bool has_calls_alone(const RunTables& run) {
  return std::all_of(run.operations.begin(), run.operations.end(), [](const OperationRow& row) {
    return row.kernel_start_ns == kNoTime && row.kernel_seen_ns == kNoTime &&
           row.finish_ns == kNoTime;
  });
}

// Where probes connect some hosts, who is not connected is left alone.
bool is_connected(const RunTables& run) {
  return std::any_of(run.processes.begin(), run.processes.end(), [](const ProcessRow& process) {
    return process.raw_offset_ns != 0 || process.clock_error_ns != 0;
  });
}

}  // namespace

std::shared_ptr<const RunTables> on_assumed_clocks(const RunTables& run) {
  if (run.aligned || is_connected(run) || !has_calls_alone(run)) return nullptr;
  std::optional<ClockModel> model = Assumption(run).model();
  if (!model) return nullptr;
  auto moved = std::make_shared<RunTables>(run);
  moved->clock.clear();
  put_on_clock<OperationRow>(std::make_shared<const ClockModel>(std::move(*model)), moved.get());
  time_arrivals<OperationRow>(moved.get());
  return moved;
}

}  // namespace lockstep::analysis
