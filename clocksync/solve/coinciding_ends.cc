#include "clocksync/solve/coinciding_ends.h"

#include <algorithm>
#include <cmath>

#include "base/quantile.h"

namespace lockstep::clocksync {
namespace {

constexpr int64_t kBinNs = 100'000'000;
// Enough bins that one operation decides nothing; two clocks that change their rate by D = 100 ns/s^2 against each other
// bend by 0.8 us in it.
constexpr int64_t kLineNs = 8'000'000'000;
// Fewer points, or less time, say nothing of a slope: two clocks drift by less than the ends are apart.
constexpr size_t kLeastForSlope = 9;
constexpr int64_t kLeastSpanNs = 1'000'000'000;

template <typename Points, typename Value>
double middle_of(const Points& points, Value value) {
  std::vector<double> values;
  for (const auto& point : points) values.push_back(value(point));
  return median(&values);
}

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

// Tukey's resistant line: its slope from the medians of the first and the last third.
CoincidingEnds::Line CoincidingEnds::line_through(std::vector<Point> points) {
  Line line;
  line.first_ns = points.front().x_ns;
  line.last_ns = points.back().x_ns;
  line.x_ns = points[points.size() / 2].x_ns;
  const int64_t base_ns = points.front().offset_ns;
  const auto x = [&](const Point& p) { return double(p.x_ns - line.x_ns); };
  const auto y = [&](const Point& p) { return double(p.offset_ns - base_ns); };
  if (points.size() >= kLeastForSlope && points.back().x_ns - points.front().x_ns >= kLeastSpanNs) {
    const auto third = int64_t(points.size() / 3);
    const std::vector<Point> first(points.begin(), points.begin() + third);
    const std::vector<Point> last(points.end() - third, points.end());
    line.slope =
        (middle_of(last, y) - middle_of(first, y)) / (middle_of(last, x) - middle_of(first, x));
  }
  const double above_ns =
      middle_of(points, [&](const Point& p) { return y(p) - line.slope * x(p); });
  line.offset_ns = double(base_ns) + above_ns;
  line.spread_ns = middle_of(
      points, [&](const Point& p) { return std::fabs(y(p) - line.slope * x(p) - above_ns); });
  return line;
}

void CoincidingEnds::fit(const std::vector<EdgeBreak>& breaks) {
  const std::vector<Point> all = points();
  std::vector<Point> own;
  auto next = breaks.begin();
  for (const Point& point : all) {
    const bool crossed = next != breaks.end() && point.x_ns >= next->from_raw_ns;
    if (!own.empty() && (crossed || point.x_ns - own.front().x_ns > kLineNs)) {
      lines_.push_back(line_through(std::move(own)));
      own.clear();
    }
    while (next != breaks.end() && point.x_ns > next->to_raw_ns) ++next;
    if (next == breaks.end() || point.x_ns < next->from_raw_ns) own.push_back(point);
  }
  if (!own.empty()) lines_.push_back(line_through(std::move(own)));
}

std::optional<CoincidingEnds::Estimate> CoincidingEnds::at(int64_t a_ns) const {
  if (lines_.empty()) return std::nullopt;
  auto line = std::lower_bound(lines_.begin(), lines_.end(), a_ns,
                               [](const Line& l, int64_t x_ns) { return l.last_ns < x_ns; });
  if (line == lines_.end() ||
      (line != lines_.begin() && a_ns - std::prev(line)->last_ns < line->first_ns - a_ns)) {
    --line;
  }
  const double offset_ns = line->offset_ns + line->slope * double(a_ns - line->x_ns);
  return Estimate{int64_t(std::llround(offset_ns)), int64_t(std::llround(line->spread_ns))};
}

}  // namespace lockstep::clocksync
