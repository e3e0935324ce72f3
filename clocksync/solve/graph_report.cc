#include "clocksync/solve/graph_report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "base/quantile.h"

namespace lockstep::clocksync {
namespace {

constexpr double kAsymmetricMads = 6;
// Below this a residual is no finding whatever the graph's noise: the floors of equal hosts differ
// more.
constexpr double kAsymmetricMinNs = 50;

std::string edge_name(const std::string& a, const std::string& b, const std::string& interface) {
  return a + "-" + b + (interface.empty() ? "" : " by " + interface);
}

void fault(ClockModel* model, const std::string& kind, const std::string& detail) {
  model->faults.push_back({kind, detail});
}

}  // namespace

void GraphReport::sample(const GraphInstant& now, ClockModel* model) {
  mads_ns_.push_back(now.mad_ns());
  for (const GraphInstant::Evaluated& v : now.evaluated()) {
    samples_[v.edge].residual_ns.push_back(float(v.residual_ns));
    samples_[v.edge].width_ns.push_back(float(v.hi_ns - v.lo_ns));
  }
  for (const std::vector<uint32_t>& cycle : now.contradictions()) {
    if (contradicted_[cycle.front()] != 0) continue;
    contradicted_[cycle.front()] = 1;
    std::string path;
    for (const uint32_t e : cycle) {
      path += (path.empty() ? "" : ", ") + edge_name(model->hosts[edges_[e].a].host,
                                                     model->hosts[edges_[e].b].host,
                                                     edges_[e].interface);
    }
    fault(model, "negative_cycle",
          "the bounds of " + path + " exclude each other; the first was left out");
  }
}

EdgeReport GraphReport::report_of(uint32_t e, const ClockModel& model, double asymmetric_ns) const {
  const GraphEdge& edge = edges_[e];
  EdgeReport report;
  report.a = model.hosts[edge.a].host;
  report.b = model.hosts[edge.b].host;
  report.source = edge.source;
  report.interface = edge.interface;
  report.upper_points = edge.upper_points;
  report.lower_points = edge.lower_points;
  report.floor_width_ns = edge.model.floor_width_ns();
  report.width_ns = int64_t(median_of(samples_[e].width_ns));
  report.residual_ns = median_of(samples_[e].residual_ns);
  report.d_ns_s2 = edge.model.d_ns_s2();
  report.assumption_relaxed = edge.model.assumption_relaxed();
  report.asymmetric_path = std::fabs(report.residual_ns) > asymmetric_ns || contradicted_[e] != 0;
  for (const EdgeBreak& step : edge.model.breaks()) {
    ++(step.proved ? report.steps_proved : report.steps_suspected);
  }
  return report;
}

void GraphReport::write(const std::vector<std::vector<uint32_t>>& touching,
                        const std::vector<uint32_t>& component, ClockModel* model) const {
  const double mad_ns = median_of(std::vector<float>(mads_ns_.begin(), mads_ns_.end()));
  const double asymmetric_ns = std::max(kAsymmetricMads * mad_ns, kAsymmetricMinNs);
  std::vector<uint32_t> disagreeing(model->hosts.size(), 0);
  for (uint32_t e = 0; e < edges_.size(); ++e) {
    model->edges.push_back(report_of(e, *model, asymmetric_ns));
    if (!model->edges.back().asymmetric_path) continue;
    for (const uint32_t h : {edges_[e].a, edges_[e].b}) ++disagreeing[h];
  }
  for (uint32_t h = 0; h < model->hosts.size(); ++h) {
    model->hosts[h].weak = disagreeing[h] > 0 && size_t{2} * disagreeing[h] > touching[h].size();
  }
  write_partition(component, model);
  for (uint32_t e = 0; e < edges_.size(); ++e) write_faults(e, model);
}

void GraphReport::write_partition(const std::vector<uint32_t>& component, ClockModel* model) const {
  std::map<uint32_t, std::string> parts;
  for (uint32_t h = 0; h < component.size(); ++h) {
    std::string& names = parts[component[h]];
    names += (names.empty() ? "" : " ") + model->hosts[h].host;
  }
  if (parts.size() < 2) return;
  std::string all;
  for (const auto& part : parts) all += (all.empty() ? "" : " | ") + part.second;
  fault(model, "partition", "nothing connects these groups of hosts: " + all);
}

void GraphReport::write_faults(uint32_t e, ClockModel* model) const {
  const EdgeReport& report = model->edges[e];
  const std::string pair = edge_name(report.a, report.b, report.interface);
  if (report.source != OffsetSource::SameHost && edges_[e].model.floor_width_ns() == 0) {
    fault(model, "no_answer", pair + ": observations of one direction only, or none that agree");
  }
  if (report.assumption_relaxed) {
    fault(model, "assumption_relaxed",
          pair + ": the clocks drift faster than declared; D raised to " +
              std::to_string(int(report.d_ns_s2)) + " ns/s^2");
  }
  for (const EdgeBreak& step : edges_[e].model.breaks()) {
    fault(model, "clock_step",
          pair + ": about " + std::to_string(step.jump_ns) + " ns between " +
              std::to_string(step.from_raw_ns) + " and " + std::to_string(step.to_raw_ns) + " of " +
              report.a + (step.proved ? "" : " (suspected)"));
  }
}

}  // namespace lockstep::clocksync
