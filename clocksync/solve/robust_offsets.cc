#include "clocksync/solve/robust_offsets.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lockstep::clocksync {
namespace {

constexpr int kMaxReweights = 30;
constexpr double kHuberMads = 1.5;
// Residuals below this are rounding; reweighting on them would only chase noise.
constexpr double kMinMadNs = 1;
constexpr double kSettledNs = 0.05;
constexpr int kMaxCgSteps = 500;
constexpr double kCgTolerance = 1e-9;

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// The weighted Laplacian of the graph, applied edge by edge.
struct Laplacian {
  const std::vector<MeasuredEdge>& edges;
  const Vector& weight;

  void apply(const Vector& x, Vector* y) const {
    std::fill(y->begin(), y->end(), 0.0);
    for (size_t e = 0; e < edges.size(); ++e) {
      const double flow = weight[e] * (x[edges[e].b] - x[edges[e].a]);
      (*y)[edges[e].b] += flow;
      (*y)[edges[e].a] -= flow;
    }
  }
  Vector diagonal(size_t hosts) const {
    Vector d(hosts, 0.0);
    for (size_t e = 0; e < edges.size(); ++e) {
      d[edges[e].a] += weight[e];
      d[edges[e].b] += weight[e];
    }
    for (double& value : d) value = value > 0 ? value : 1;
    return d;
  }
  Vector right_side(size_t hosts) const {
    Vector r(hosts, 0.0);
    for (size_t e = 0; e < edges.size(); ++e) {
      r[edges[e].b] += weight[e] * edges[e].offset_ns;
      r[edges[e].a] -= weight[e] * edges[e].offset_ns;
    }
    return r;
  }
};

// Conjugate gradients with the diagonal as preconditioner, starting from x. The Laplacian is
// singular by one constant per component; right sides are orthogonal to it, so the iteration never
// leaves its range.
void solve_laplacian(const Laplacian& laplacian, Vector* x) {
  const size_t n = x->size();
  const Vector diagonal = laplacian.diagonal(n);
  Vector r = laplacian.right_side(n), product(n), z(n), p(n);
  const double target = kCgTolerance * std::sqrt(dot(r, r));
  laplacian.apply(*x, &product);
  for (size_t i = 0; i < n; ++i) r[i] -= product[i];
  double rz = 0;
  for (int step = 0; step < kMaxCgSteps && std::sqrt(dot(r, r)) > target; ++step) {
    for (size_t i = 0; i < n; ++i) z[i] = r[i] / diagonal[i];
    const double next_rz = dot(r, z);
    const double beta = step == 0 ? 0 : next_rz / rz;
    rz = next_rz;
    for (size_t i = 0; i < n; ++i) p[i] = z[i] + beta * p[i];
    laplacian.apply(p, &product);
    const double curvature = dot(p, product);
    if (!(curvature > 0)) break;
    const double alpha = rz / curvature;
    for (size_t i = 0; i < n; ++i) {
      (*x)[i] += alpha * p[i];
      r[i] -= alpha * product[i];
    }
  }
}

double median_abs(const Vector& values) {
  if (values.empty()) return 0;
  Vector sizes(values.size());
  std::transform(values.begin(), values.end(), sizes.begin(),
                 [](double v) { return std::fabs(v); });
  const auto middle = sizes.begin() + int64_t(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  return *middle;
}

uint32_t root_of(std::vector<uint32_t>* parent, uint32_t host) {
  while ((*parent)[host] != host) {
    (*parent)[host] = (*parent)[(*parent)[host]];
    host = (*parent)[host];
  }
  return host;
}

}  // namespace

std::vector<uint32_t> components(uint32_t hosts, const std::vector<MeasuredEdge>& edges) {
  std::vector<uint32_t> parent(hosts);
  std::iota(parent.begin(), parent.end(), 0u);
  for (const MeasuredEdge& e : edges) {
    const uint32_t a = root_of(&parent, e.a), b = root_of(&parent, e.b);
    parent[std::max(a, b)] = std::min(a, b);
  }
  for (uint32_t h = 0; h < hosts; ++h) parent[h] = root_of(&parent, h);
  return parent;
}

RobustOffsets solve_offsets(const std::vector<uint32_t>& component,
                            const std::vector<MeasuredEdge>& edges) {
  RobustOffsets result;
  Vector& x = result.offset_ns;
  x.assign(component.size(), 0.0);
  result.residual_ns.assign(edges.size(), 0.0);
  Vector weight(edges.size());
  Vector before;
  for (int i = 0; i < kMaxReweights; ++i) {
    const double bend_ns = kHuberMads * std::max(result.mad_ns, kMinMadNs);
    for (size_t e = 0; e < edges.size(); ++e) {
      const double size_ns = std::fabs(result.residual_ns[e]);
      const double huber = i == 0 || size_ns <= bend_ns ? 1 : bend_ns / size_ns;
      weight[e] = huber / (edges[e].sigma_ns * edges[e].sigma_ns);
    }
    before = x;
    solve_laplacian({edges, weight}, &x);
    for (size_t h = 0; h < x.size(); ++h) {
      if (component[h] != h) x[h] -= x[component[h]];
    }
    for (size_t h = 0; h < x.size(); ++h) {
      if (component[h] == h) x[h] = 0;
    }
    for (size_t e = 0; e < edges.size(); ++e) {
      result.residual_ns[e] = edges[e].offset_ns - (x[edges[e].b] - x[edges[e].a]);
    }
    result.mad_ns = median_abs(result.residual_ns);
    result.iterations = i + 1;
    double moved_ns = 0;
    for (size_t h = 0; h < x.size(); ++h)
      moved_ns = std::max(moved_ns, std::fabs(x[h] - before[h]));
    if (i > 0 && moved_ns < kSettledNs) break;
  }
  return result;
}

}  // namespace lockstep::clocksync
