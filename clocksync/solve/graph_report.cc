// What the graph solver says about its own answer: a report per edge, weak hosts, faults; and
// single pairs at single instants.
#include <algorithm>
#include <cmath>
#include <map>

#include "base/quantile.h"
#include "clocksync/solve/graph_solver.h"

namespace lockstep::clocksync {
namespace {

constexpr double kAsymmetricMads = 6;
// Below this a residual is no finding whatever the graph's noise: the floors of equal hosts differ
// more.
constexpr double kAsymmetricMinNs = 50;

}  // namespace

void GraphSolver::fault(const std::string& kind, const std::string& detail) {
  model_.faults.push_back({kind, detail});
}

void GraphSolver::report_edges() {
  const double mad_ns = median_of(std::vector<float>(mads_ns_.begin(), mads_ns_.end()));
  const double limit_ns = std::max(kAsymmetricMads * mad_ns, kAsymmetricMinNs);
  std::vector<uint32_t> disagreeing(model_.hosts.size(), 0);
  for (uint32_t e = 0; e < edges_.size(); ++e) {
    const GraphEdge& edge = edges_[e];
    EdgeReport report;
    report.a = model_.hosts[edge.a].host;
    report.b = model_.hosts[edge.b].host;
    report.source = edge.source;
    report.upper_points = edge.upper_points;
    report.lower_points = edge.lower_points;
    report.floor_width_ns = edge.model.floor_width_ns();
    report.width_ns = int64_t(median_of(samples_[e].width_ns));
    report.residual_ns = median_of(samples_[e].residual_ns);
    report.d_ns_s2 = edge.model.d_ns_s2();
    report.assumption_relaxed = edge.model.assumption_relaxed();
    report.asymmetric_path = std::fabs(report.residual_ns) > limit_ns || contradicted_[e] != 0;
    for (const EdgeBreak& step : edge.model.breaks()) {
      ++(step.proved ? report.steps_proved : report.steps_suspected);
    }
    for (const uint32_t h : {edge.a, edge.b}) disagreeing[h] += report.asymmetric_path;
    model_.edges.push_back(std::move(report));
  }
  for (uint32_t h = 0; h < model_.hosts.size(); ++h) {
    model_.hosts[h].weak = disagreeing[h] > 0 && size_t{2} * disagreeing[h] > touching_[h].size();
  }
}

void GraphSolver::report_faults() {
  std::map<uint32_t, std::string> parts;
  for (uint32_t h = 0; h < component_.size(); ++h) {
    std::string& names = parts[component_[h]];
    names += (names.empty() ? "" : " ") + model_.hosts[h].host;
  }
  if (parts.size() > 1) {
    std::string all;
    for (const auto& part : parts) all += (all.empty() ? "" : " | ") + part.second;
    fault("partition", "nothing connects these groups of hosts: " + all);
  }
  for (uint32_t e = 0; e < edges_.size(); ++e) {
    const EdgeReport& report = model_.edges[e];
    const std::string pair = report.a + "-" + report.b;
    if (report.source != OffsetSource::SameHost && edges_[e].model.floor_width_ns() == 0) {
      fault("no_answer", pair + ": observations of one direction only, or none that agree");
    }
    if (report.assumption_relaxed) {
      fault("assumption_relaxed", pair + ": the clocks drift faster than declared; D raised to " +
                                      std::to_string(int(report.d_ns_s2)) + " ns/s^2");
    }
    for (const EdgeBreak& step : edges_[e].model.breaks()) {
      fault("clock_step", pair + ": about " + std::to_string(step.jump_ns) + " ns between " +
                              std::to_string(step.from_raw_ns) + " and " +
                              std::to_string(step.to_raw_ns) + " of " + report.a +
                              (step.proved ? "" : " (suspected)"));
    }
  }
}

std::vector<std::optional<PairOffset>> GraphSolver::pairs(uint32_t a, int64_t at_raw_ns) {
  // a as root: its own reading is the instant.
  const GraphInstant now(edges_, touching_, a, at_raw_ns, options_.max_slope_ppm, &guess_ns_);
  const std::vector<PairOffset> offsets = now.to_root();
  std::vector<std::optional<PairOffset>> answers(offsets.size());
  for (uint32_t h = 0; h < offsets.size(); ++h) {
    if (now.reached(h)) answers[h] = offsets[h];
  }
  return answers;
}

}  // namespace lockstep::clocksync
