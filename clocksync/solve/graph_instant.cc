#include "clocksync/solve/graph_instant.h"

#include <algorithm>
#include <cmath>
#include <deque>

namespace lockstep::clocksync {
namespace {

// An edge errs by its sampling noise (what its interval is wider than its floor), by a share of its
// width (paths with long round trips are seldom symmetric to better than that), and never by less
// than the noise of the stamps.
constexpr double kStampNoiseNs = 10;
constexpr double kWidthShare = 0.05;
constexpr int kFixedPointSteps = 4;

double expected_error_ns(double width_ns, double floor_ns) {
  const double excess_ns = std::max(0.0, width_ns - floor_ns) / 2;
  const double share_ns = kWidthShare * width_ns;
  return std::sqrt(kStampNoiseNs * kStampNoiseNs + share_ns * share_ns + excess_ns * excess_ns);
}

}  // namespace

GraphInstant::GraphInstant(const std::vector<GraphEdge>& edges,
                           const std::vector<std::vector<uint32_t>>& touching, uint32_t root,
                           int64_t instant_ns, double max_slope_ppm, std::vector<int64_t>* guess_ns)
    : edges_(edges), root_(root), instant_ns_(instant_ns) {
  reached_.assign(touching.size(), 0);
  tree_ns_.assign(touching.size(), 0);
  error_ns_.assign(touching.size(), 0);
  grow_tree(touching, guess_ns);
  evaluate(max_slope_ppm);
  solve();
}

std::optional<GraphInstant::EdgeOffset> GraphInstant::at(uint32_t e, int64_t a_local_ns) const {
  const GraphEdge& edge = edges_[e];
  if (edge.source == OffsetSource::SameHost) return EdgeOffset();
  const std::optional<OffsetInterval> theta = edge.model.at(a_local_ns);
  if (!theta) return std::nullopt;
  const std::optional<CoincidingEnds::Estimate> ends = edge.ends.at(a_local_ns);
  if (!ends) return EdgeOffset{theta->lo_ns, theta->hi_ns, theta->estimate_ns()};
  return EdgeOffset{theta->lo_ns, theta->hi_ns,
                    std::clamp(ends->offset_ns, theta->lo_ns, theta->hi_ns),
                    std::max(kStampNoiseNs, double(ends->spread_ns))};
}

// The edge knows theta by a's clock; here b's reading is known. x + theta(x) = reading by
// iteration: theta moves by less than 1e-3 of x, so each step gains three digits.
std::optional<GraphInstant::EdgeOffset> GraphInstant::at_other_end(uint32_t edge,
                                                                   int64_t b_local_ns,
                                                                   int64_t guess_ns) const {
  std::optional<EdgeOffset> answer;
  for (int i = 0; i < kFixedPointSteps; ++i) {
    answer = at(edge, b_local_ns - guess_ns);
    if (!answer) return std::nullopt;
    guess_ns = answer->estimate_ns;
  }
  return answer;
}

void GraphInstant::grow_tree(const std::vector<std::vector<uint32_t>>& touching,
                             std::vector<int64_t>* guess_ns) {
  std::deque<uint32_t> queue{root_};
  reached_[root_] = 1;
  while (!queue.empty()) {
    const uint32_t from = queue.front();
    queue.pop_front();
    for (const uint32_t e : touching[from]) {
      const bool forward = edges_[e].a == from;
      const uint32_t other = forward ? edges_[e].b : edges_[e].a;
      if (reached_[other]) continue;
      const int64_t here_ns = instant_ns_ + tree_ns_[from];
      const auto theta = forward ? at(e, here_ns) : at_other_end(e, here_ns, (*guess_ns)[e]);
      if (!theta) continue;
      (*guess_ns)[e] = theta->estimate_ns;
      reached_[other] = 1;
      tree_ns_[other] = tree_ns_[from] + (forward ? 1 : -1) * theta->estimate_ns;
      // As far off as the farther bound, plus what the offset moves while the evaluated instant is off.
      const int64_t farther_ns =
          std::max(theta->hi_ns - theta->estimate_ns, theta->estimate_ns - theta->lo_ns);
      error_ns_[other] = (error_ns_[from] + double(farther_ns) + 1) * 1.001;
      queue.push_back(other);
    }
  }
}

void GraphInstant::evaluate(double max_slope_ppm) {
  for (uint32_t e = 0; e < edges_.size(); ++e) {
    const GraphEdge& edge = edges_[e];
    if (!reached_[edge.a] || !reached_[edge.b]) continue;
    const auto theta = at(e, local_ns(edge.a));
    if (!theta) continue;
    const int64_t tree_ns = tree_ns_[edge.b] - tree_ns_[edge.a];
    // a's clock shows the evaluated instant only to error_ns; theta may move in between.
    const double slack_ns = max_slope_ppm * 1e-6 * error_ns_[edge.a] + 1;
    Evaluated v;
    v.edge = e;
    v.estimate_ns = double(theta->estimate_ns - tree_ns);
    v.lo_ns = double(theta->lo_ns + edge.least_delay_ns - tree_ns) - slack_ns;
    v.hi_ns = double(theta->hi_ns - edge.least_delay_ns - tree_ns) + slack_ns;
    v.expected_error_ns =
        theta->spread_ns > 0
            ? theta->spread_ns
            : expected_error_ns(v.hi_ns - v.lo_ns, double(edge.model.floor_width_ns()));
    evaluated_.push_back(v);
  }
}

void GraphInstant::solve() {
  const uint32_t hosts = uint32_t(reached_.size());
  for (;;) {
    std::vector<MeasuredEdge> measured;
    std::vector<DifferenceBound> bounds;
    for (const Evaluated& v : evaluated_) {
      const GraphEdge& edge = edges_[v.edge];
      measured.push_back({edge.a, edge.b, v.estimate_ns, v.expected_error_ns});
      bounds.push_back({edge.a, edge.b, v.hi_ns});
      bounds.push_back({edge.b, edge.a, -v.lo_ns});
    }
    const RobustOffsets solved = solve_offsets(components(hosts, measured), measured);
    mad_ns_ = solved.mad_ns;
    for (size_t i = 0; i < evaluated_.size(); ++i)
      evaluated_[i].residual_ns = solved.residual_ns[i];
    offset_ns_ = potential_ns_ = solved.offset_ns;
    bounds_.emplace(hosts, std::move(bounds));
    const std::vector<uint32_t> cycle = bounds_->project(&potential_ns_);
    if (cycle.empty()) return;
    // Some bound on the cycle is false. The edge that the graph contradicts most is left out.
    std::vector<uint32_t> named;
    size_t worst = cycle.front() / 2;
    for (const uint32_t bound : cycle) {
      named.push_back(evaluated_[bound / 2].edge);
      if (std::fabs(evaluated_[bound / 2].residual_ns) > std::fabs(evaluated_[worst].residual_ns)) {
        worst = bound / 2;
      }
    }
    std::swap(named.front(), *std::find(named.begin(), named.end(), evaluated_[worst].edge));
    contradictions_.push_back(std::move(named));
    evaluated_.erase(evaluated_.begin() + int64_t(worst));
  }
}

std::vector<PairOffset> GraphInstant::to_root() const { return to_host(root_); }

std::vector<PairOffset> GraphInstant::to_host(uint32_t a) const {
  const std::vector<double> upper = bounds_->from(a, potential_ns_);
  const std::vector<double> lower = bounds_->to(a, potential_ns_);
  std::vector<PairOffset> pairs(reached_.size());
  for (uint32_t h = 0; h < pairs.size(); ++h) {
    if (!reached_[h] || !std::isfinite(upper[h]) || !std::isfinite(lower[h])) continue;
    const int64_t tree_ns = tree_ns_[h] - tree_ns_[a];
    PairOffset& pair = pairs[h];
    pair.lo_ns = tree_ns + int64_t(std::floor(-lower[h]));
    pair.hi_ns = tree_ns + int64_t(std::ceil(upper[h]));
    pair.estimate_ns = std::clamp(tree_ns + int64_t(std::llround(offset_ns_[h] - offset_ns_[a])),
                                  pair.lo_ns, pair.hi_ns);
  }
  return pairs;
}

}  // namespace lockstep::clocksync
