#include "clocksync/solve/graph_solver.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace lockstep::clocksync {
namespace {

// A border of a step is known to the error of the host's clock; this much on either side is safe.
constexpr int64_t kStepMarginNs = 1'000'000;
constexpr int64_t kShortestKnotNs = 1'000'000;

}  // namespace

GraphSolver::GraphSolver(std::vector<std::string> hosts, std::vector<GraphEdge> edges,
                         GraphOptions options)
    : options_(options), edges_(std::move(edges)), report_(edges_) {
  model_.max_slope_ppm = options_.max_slope_ppm;
  model_.hosts.resize(hosts.size());
  for (size_t h = 0; h < hosts.size(); ++h) model_.hosts[h].host = std::move(hosts[h]);
  touching_.resize(model_.hosts.size());
  guess_ns_.assign(edges_.size(), 0);
  for (uint32_t e = 0; e < edges_.size(); ++e) {
    const EdgeModel& edge = edges_[e].model;
    const int64_t middle_ns = edge.from_raw_ns() + (edge.to_raw_ns() - edge.from_raw_ns()) / 2;
    const auto theta = edge.at(middle_ns);
    if (edges_[e].source != OffsetSource::SameHost && !theta) continue;  // reported as no_answer
    if (theta) guess_ns_[e] = theta->estimate_ns();
    touching_[edges_[e].a].push_back(e);
    touching_[edges_[e].b].push_back(e);
  }
  narrowest_first();
}

// The spanning tree takes the first edge to each host: of several interfaces the narrowest.
void GraphSolver::narrowest_first() {
  for (uint32_t h = 0; h < touching_.size(); ++h) {
    const auto other = [&](uint32_t e) { return edges_[e].a == h ? edges_[e].b : edges_[e].a; };
    std::stable_sort(touching_[h].begin(), touching_[h].end(), [&](uint32_t one, uint32_t two) {
      return std::make_pair(other(one), edges_[one].model.floor_width_ns()) <
             std::make_pair(other(two), edges_[two].model.floor_width_ns());
    });
  }
}

const ClockModel& GraphSolver::solve() {
  find_components();
  for (uint32_t h = 0; h < component_.size(); ++h) {
    if (component_[h] == h && !touching_[h].empty()) solve_component(h);
  }
  widen_for_curvature();
  report_.write(touching_, component_, &model_);
  return model_;
}

void GraphSolver::find_components() {
  std::vector<MeasuredEdge> usable;
  for (uint32_t h = 0; h < touching_.size(); ++h) {
    for (const uint32_t e : touching_[h]) usable.push_back({edges_[e].a, edges_[e].b, 0, 1});
  }
  component_ = components(uint32_t(touching_.size()), usable);
  std::map<uint32_t, size_t> sizes;
  for (const uint32_t c : component_) ++sizes[c];
  uint32_t largest = 0;
  for (const auto& [root, size] : sizes) {
    if (size > sizes[largest]) largest = root;
  }
  if (!model_.hosts.empty()) model_.reference = model_.hosts[largest].host;
  for (uint32_t h = 0; h < component_.size(); ++h) model_.hosts[h].component = component_[h];
  name_sources();
  // Alone and the reference: its clock is the timeline.
  if (!component_.empty() && touching_[largest].empty())
    model_.hosts[largest].knots.push_back(ClockKnot{});
}

// The best kind of evidence that alone connects a host with the reference of its component.
void GraphSolver::name_sources() {
  std::vector<MeasuredEdge> usable;
  for (const OffsetSource source :
       {OffsetSource::SameHost, OffsetSource::Probes, OffsetSource::Collectives}) {
    for (uint32_t h = 0; h < touching_.size(); ++h) {
      for (const uint32_t e : touching_[h]) {
        if (edges_[e].source == source) usable.push_back({edges_[e].a, edges_[e].b, 0, 1});
      }
    }
    const std::vector<uint32_t> joined = components(uint32_t(touching_.size()), usable);
    for (uint32_t h = 0; h < joined.size(); ++h) {
      HostModel& host = model_.hosts[h];
      const bool connected =
          joined[h] == component_[h] && (h != component_[h] || host.host == model_.reference);
      if (connected && host.source == OffsetSource::None) host.source = source;
    }
  }
}

// The instants of root's clock at which the component's edges have something to say. Offsets are
// taken in the middle of each edge, so this is only good to the drift over the run; it needs no
// more.
GraphSolver::Range GraphSolver::range_of(uint32_t root) {
  std::vector<char> seen(touching_.size(), 0);
  std::vector<int64_t> offset_ns(touching_.size(), 0);
  std::vector<uint32_t> queue{root};
  seen[root] = 1;
  Range range{INT64_MAX, INT64_MIN};
  for (size_t i = 0; i < queue.size(); ++i) {
    const uint32_t from = queue[i];
    for (const uint32_t e : touching_[from]) {
      const bool forward = edges_[e].a == from;
      const uint32_t other = forward ? edges_[e].b : edges_[e].a;
      if (!seen[other]) {
        seen[other] = 1;
        offset_ns[other] = offset_ns[from] + (forward ? guess_ns_[e] : -guess_ns_[e]);
        queue.push_back(other);
      }
      if (edges_[e].source == OffsetSource::SameHost) continue;
      const int64_t a_ns = offset_ns[edges_[e].a];
      range.from_ns = std::min(range.from_ns, edges_[e].model.from_raw_ns() - a_ns);
      range.to_ns = std::max(range.to_ns, edges_[e].model.to_raw_ns() - a_ns);
    }
  }
  return range.from_ns > range.to_ns ? Range{0, 0} : range;
}

void GraphSolver::solve_component(uint32_t root) {
  const Range range = range_of(root);
  const size_t hosts = size_t(std::count(component_.begin(), component_.end(), root));
  const double most = double(options_.max_knots) / double(hosts);
  const int64_t knot_ns = std::max(
      options_.knot_ns, int64_t(double(range.to_ns - range.from_ns) / std::max(most, 1.0)));
  std::vector<char> stepped;
  for (int64_t instant_ns = range.from_ns;;) {
    const GraphInstant now(edges_, touching_, root, instant_ns, options_.max_slope_ppm, &guess_ns_);
    add_knots(now, root, instant_ns);
    report_.sample(now, &model_);
    if (instant_ns >= range.to_ns) break;
    const int64_t next_ns = std::min(next_instant(now, root, instant_ns, knot_ns), range.to_ns);
    stepped = stepped_hosts(now, root, next_ns - instant_ns);
    for (uint32_t h = 0; h < stepped.size(); ++h) {
      if (stepped[h] && !model_.hosts[h].knots.empty())
        model_.hosts[h].knots.back().step_after = true;
    }
    instant_ns = next_ns;
  }
}

// The next knot, or the next border of a step if that comes first.
int64_t GraphSolver::next_instant(const GraphInstant& now, uint32_t root, int64_t instant_ns,
                                  int64_t knot_ns) const {
  int64_t wait_ns = knot_ns;
  for (const GraphEdge& edge : edges_) {
    if (component_[edge.a] != root || !now.reached(edge.a)) continue;
    for (const EdgeBreak& step : edge.model.breaks()) {
      for (const int64_t border_ns :
           {step.from_raw_ns - kStepMarginNs, step.to_raw_ns + kStepMarginNs}) {
        const int64_t until_ns = border_ns - now.local_ns(edge.a);
        if (until_ns > kShortestKnotNs) wait_ns = std::min(wait_ns, until_ns);
      }
    }
  }
  return instant_ns + wait_ns;
}

// Which hosts' clocks may step within for_ns from now: those with a break on at least half of their
// edges; a host whose neighbour stepped has one broken edge among many. All, when the root stepped.
std::vector<char> GraphSolver::stepped_hosts(const GraphInstant& now, uint32_t root,
                                             int64_t for_ns) const {
  std::vector<uint32_t> broken(touching_.size(), 0);
  bool any = false;
  for (const GraphEdge& edge : edges_) {
    if (component_[edge.a] != root || !now.reached(edge.a)) continue;
    const int64_t from_ns = now.local_ns(edge.a), to_ns = from_ns + for_ns;
    for (const EdgeBreak& step : edge.model.breaks()) {
      if (step.from_raw_ns - kStepMarginNs > to_ns || step.to_raw_ns + kStepMarginNs < from_ns)
        continue;
      ++broken[edge.a];
      ++broken[edge.b];
      any = true;
      break;
    }
  }
  std::vector<char> stepped(touching_.size(), 0);
  if (!any) return stepped;
  const auto steps = [&](uint32_t h) {
    return broken[h] > 0 && size_t{2} * broken[h] >= touching_[h].size();
  };
  for (uint32_t h = 0; h < stepped.size(); ++h) {
    stepped[h] = component_[h] == root && h != root && (steps(h) || steps(root));
  }
  return stepped;
}

void GraphSolver::add_knots(const GraphInstant& now, uint32_t root, int64_t instant_ns) {
  const std::vector<PairOffset> offsets = now.to_root();
  for (uint32_t h = 0; h < offsets.size(); ++h) {
    if (component_[h] != root || !now.reached(h)) continue;
    const PairOffset& offset = offsets[h];
    // The knot stands where the estimate says; the true instant is off by at most the width.
    const int64_t slack_ns = h == root
                                 ? 0
                                 : 1 + int64_t(std::ceil(options_.max_slope_ppm * 1e-6 *
                                                         double(offset.hi_ns - offset.lo_ns)));
    const int64_t local_ns = instant_ns + offset.estimate_ns;
    std::vector<ClockKnot>& knots = model_.hosts[h].knots;
    if (!knots.empty() && knots.back().local_raw_ns >= local_ns) {
      // A backward step of this clock: readings repeat, and both meanings must stay inside.
      ClockKnot& last = knots.back();
      last.lo_ns = std::min(last.lo_ns, offset.lo_ns - slack_ns);
      last.hi_ns = std::max(last.hi_ns, offset.hi_ns + slack_ns);
      last.step_after = true;
      continue;
    }
    knots.push_back(
        {local_ns, offset.estimate_ns, offset.lo_ns - slack_ns, offset.hi_ns + slack_ns, false});
  }
}

// Between knots theta leaves its chord by at most D h^2 / 8.
void GraphSolver::widen_for_curvature() {
  for (const GraphEdge& edge : edges_)
    model_.d_ns_s2 = std::max(model_.d_ns_s2, edge.model.d_ns_s2());
  for (HostModel& host : model_.hosts) {
    if (host.host == model_.reference) continue;
    int64_t bulge_before_ns = 0;
    for (size_t k = 0; k < host.knots.size(); ++k) {
      ClockKnot& knot = host.knots[k];
      int64_t bulge_ns = 0;
      if (k + 1 < host.knots.size()) {
        const double h_s = double(host.knots[k + 1].local_raw_ns - knot.local_raw_ns) * 1e-9;
        bulge_ns = int64_t(std::ceil(model_.d_ns_s2 * h_s * h_s / 8));
      }
      knot.lo_ns -= std::max(bulge_ns, bulge_before_ns);
      knot.hi_ns += std::max(bulge_ns, bulge_before_ns);
      bulge_before_ns = bulge_ns;
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
