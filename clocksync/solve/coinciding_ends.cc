#include "clocksync/solve/coinciding_ends.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/quantile.h"

namespace lockstep::clocksync {
namespace {

constexpr int64_t kBinNs = 100'000'000;
// Two clocks that are wrong by 50 ppm each drift 0.1 ms meanwhile, which is how far ends lie apart.
constexpr int64_t kMedianNs = 2'000'000'000;
// ... and longer where there are fewer: of these, four may be disturbed.
constexpr size_t kLeastPoints = 9;
// By 0.2 to 0.4 the estimates of what real NCCL recorded are best (docs/measured/clock.md).
constexpr double kMostScatter = 0.3;

}  // namespace

void CoincidingEnds::add(LaterEnd later, int64_t a_ns, int64_t b_ns) {
  Bin& bin = bins_[a_ns / kBinNs];
  const Point point{a_ns, b_ns - a_ns};
  if (later == LaterEnd::Either) {
    bin.either.push_back(point);
  } else if (later == LaterEnd::OfB) {
    if (!bin.of_b || point.offset_ns < bin.of_b->offset_ns) bin.of_b = point;
  } else if (!bin.of_a || point.offset_ns > bin.of_a->offset_ns) {
    bin.of_a = point;
  }
}

// One for each bin and way in which its operations ended, in order.
std::vector<CoincidingEnds::Point> CoincidingEnds::points() {
  std::vector<Point> points;
  for (auto& [number, bin] : bins_) {
    if (!bin.either.empty()) {
      const auto middle = bin.either.begin() + int64_t(bin.either.size() / 2);
      std::nth_element(bin.either.begin(), middle, bin.either.end(),
                       [](const Point& a, const Point& b) { return a.offset_ns < b.offset_ns; });
      points.push_back(*middle);
    }
    if (bin.of_a) points.push_back(*bin.of_a);
    if (bin.of_b) points.push_back(*bin.of_b);
  }
  bins_.clear();
  std::sort(points.begin(), points.end(),
            [](const Point& a, const Point& b) { return a.x_ns < b.x_ns; });
  return points;
}

void CoincidingEnds::add_medians(const std::vector<Point>& points, size_t piece) {
  std::vector<std::vector<Point>> groups;
  for (const Point& point : points) {
    const bool goes_on = !groups.empty() && (groups.back().size() < kLeastPoints ||
                                             point.x_ns - groups.back().front().x_ns < kMedianNs);
    if (!goes_on) groups.emplace_back();
    groups.back().push_back(point);
  }
  if (groups.size() > 1 && groups.back().size() < kLeastPoints) {
    const std::vector<Point> rest = std::move(groups.back());
    groups.pop_back();
    groups.back().insert(groups.back().end(), rest.begin(), rest.end());
  }
  for (const std::vector<Point>& own : groups) {
    Median& one = medians_.emplace_back();
    one.first_ns = own.front().x_ns;
    one.last_ns = own.back().x_ns;
    one.x_ns = own[own.size() / 2].x_ns;
    std::vector<int64_t> values;
    for (const Point& point : own) values.push_back(point.offset_ns);
    one.offset_ns = median(&values);
    for (int64_t& ns : values) ns = std::llabs(ns - one.offset_ns);
    one.spread_ns = median(&values);
    one.piece = piece;
  }
}

void CoincidingEnds::fit(const std::vector<EdgeBreak>& breaks, double max_slope_ppm,
                         int64_t narrowest_ns) {
  max_slope_ppm_ = max_slope_ppm;
  const std::vector<Point> all = points();
  auto point = all.begin();
  for (size_t piece = 0; piece <= breaks.size(); ++piece) {
    std::vector<Point> own;
    const bool is_last = piece == breaks.size();
    for (; point != all.end() && (is_last || point->x_ns <= breaks[piece].to_raw_ns); ++point) {
      if (is_last || point->x_ns < breaks[piece].from_raw_ns) own.push_back(*point);
    }
    add_medians(own, piece);
  }
  std::vector<int64_t> spreads;
  for (const Median& one : medians_) spreads.push_back(one.spread_ns);
  if (double(median(&spreads)) > kMostScatter * double(narrowest_ns)) medians_.clear();
}

// Beyond the first and last of a piece, where a median that errs must not lead away.
double CoincidingEnds::slope(const Median& from, const Median& to) const {
  if (from.piece != to.piece) return 0;
  const double most = max_slope_ppm_ * 1e-6;
  return std::clamp(double(to.offset_ns - from.offset_ns) / double(to.x_ns - from.x_ns), -most,
                    most);
}

std::optional<CoincidingEnds::Estimate> CoincidingEnds::at(int64_t a_ns) const {
  if (medians_.empty()) return std::nullopt;
  const auto by = [&](const Median& one, double slope) {
    return Estimate{one.offset_ns + std::llround(slope * double(a_ns - one.x_ns)), one.spread_ns};
  };
  using At = std::vector<Median>::const_iterator;
  const auto before_first = [&](At one) {
    const At next = std::next(one);
    return by(*one, next == medians_.end() ? 0 : slope(*one, *next));
  };
  const auto after_last = [&](At one) {
    return by(*one, one == medians_.begin() ? 0 : slope(*std::prev(one), *one));
  };
  const At after =
      std::upper_bound(medians_.begin(), medians_.end(), a_ns,
                       [](int64_t x_ns, const Median& one) { return x_ns < one.x_ns; });
  if (after == medians_.begin()) return before_first(after);
  const At before = std::prev(after);
  if (after == medians_.end()) return after_last(before);
  if (before->piece == after->piece) {
    return by(*before,
              double(after->offset_ns - before->offset_ns) / double(after->x_ns - before->x_ns));
  }
  const bool is_before = a_ns - before->last_ns < after->first_ns - a_ns;
  return is_before ? after_last(before) : before_first(after);
}

}  // namespace lockstep::clocksync
