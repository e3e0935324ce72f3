#include "clocksync/solve/edge_solver.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace lockstep::clocksync {
namespace {

constexpr double kMaxRelaxedD = 1000;
// One-sided answers use this much past or future: long enough for a slope, short enough to be
// local.
constexpr int64_t kOneSidedNs = 2'000'000'000;
// An estimate errs by at most half of what its interval is wider than the path's floor. A jump
// beyond that on both sides, and beyond a part of the floor and the usual jump, is a suspected
// step.
constexpr double kSuspectFloorShare = 0.1;
constexpr double kSuspectUsualJumps = 3;
constexpr size_t kSuspectMinInstants = 8;

bool by_x(const OffsetBound& a, const OffsetBound& b) { return a.x_raw_ns < b.x_raw_ns; }

std::vector<OffsetBound> between(const std::vector<OffsetBound>& points, int64_t from_ns,
                                 int64_t to_ns) {
  const auto first = std::lower_bound(points.begin(), points.end(), OffsetBound{from_ns, 0}, by_x);
  const auto last = std::upper_bound(first, points.end(), OffsetBound{to_ns, 0}, by_x);
  return std::vector<OffsetBound>(first, last);
}

template <typename Item, typename Value>
double quantile(const std::vector<Item>& items, double share, Value value) {
  std::vector<int64_t> values;
  for (const Item& item : items) values.push_back(value(item));
  const auto nth = values.begin() + int64_t(share * double(values.size() - 1));
  std::nth_element(values.begin(), nth, values.end());
  return double(*nth);
}

}  // namespace

// How far the answer from the future lies from the answer from the past, at one grid instant.
struct EdgeModel::Jump {
  int64_t t_raw_ns = 0;
  int64_t jump_ns = 0;
  int64_t past_ns = 0, future_ns = 0;  // widths
};

EdgeModel EdgeModel::solve(EdgeBounds bounds, const EdgeOptions& options) {
  EdgeModel model(options);
  for (auto* side : {&bounds.upper, &bounds.lower}) {
    if (!std::is_sorted(side->begin(), side->end(), by_x))
      std::sort(side->begin(), side->end(), by_x);
  }
  if (bounds.upper.empty() || bounds.lower.empty()) return model;
  const int64_t first = std::min(bounds.upper.front().x_raw_ns, bounds.lower.front().x_raw_ns);
  const int64_t last = std::max(bounds.upper.back().x_raw_ns, bounds.lower.back().x_raw_ns);
  model.from_ns_ = std::min(first, options.from_raw_ns.value_or(first));
  model.to_ns_ = std::max(last, options.to_raw_ns.value_or(last));
  if (!options.suspects_steps && model.solve_unsplit(bounds)) return model;
  model.find_breaks(bounds, first);
  // Pieces come last: D is known only now.
  model.find_bulge();
  for (size_t i = 0; i <= model.breaks_.size(); ++i) {
    EdgeBounds own;
    const int64_t after = i == 0 ? first : model.breaks_[i - 1].to_raw_ns;
    const int64_t before = i == model.breaks_.size() ? last : model.breaks_[i].from_raw_ns;
    own.upper = between(bounds.upper, after, before);
    own.lower = between(bounds.lower, after, before);
    model.add_piece(own, i == 0 ? model.from_ns_ : model.breaks_[i - 1].from_raw_ns,
                    i == model.breaks_.size() ? model.to_ns_ : model.breaks_[i].to_raw_ns);
  }
  return model;
}

void EdgeModel::find_bulge() {
  const double h_s = double(grid_ns_) * 1e-9;
  bulge_ns_ = int64_t(std::ceil(limits_.d_ns_s2 * h_s * h_s / 8));
}

void EdgeModel::find_breaks(const EdgeBounds& bounds, int64_t first_ns) {
  int64_t begin = first_ns;
  while (const std::optional<EdgeBreak> found = first_break(bounds, begin)) {
    breaks_.push_back(*found);
    begin = found->to_raw_ns;
  }
}

// One piece, with the declared D; false where the observations do not allow that.
bool EdgeModel::solve_unsplit(const EdgeBounds& bounds) {
  const TaylorHull hull(bounds.upper, bounds.lower, limits_);
  Piece piece{from_ns_, to_ns_, {}};
  for (int64_t t = from_ns_;; t += grid_ns_) {
    const auto knot = hull.at(t);
    if (!knot) {
      floor_width_ns_ = 0;
      return false;
    }
    add_knot(&piece, knot);
    if (t >= to_ns_) break;
  }
  find_bulge();
  pieces_.push_back(std::move(piece));
  complete_ = true;
  return true;
}

void EdgeModel::add_knot(Piece* piece, const std::optional<OffsetInterval>& knot) {
  piece->knots.push_back(knot);
  if (knot && (floor_width_ns_ == 0 || knot->width_ns() < floor_width_ns_))
    floor_width_ns_ = knot->width_ns();
}

std::optional<EdgeBreak> EdgeModel::first_break(const EdgeBounds& bounds, int64_t begin_ns) {
  const auto upper = between(bounds.upper, begin_ns, to_ns_);
  const auto lower = between(bounds.lower, begin_ns, to_ns_);
  if (upper.empty() || lower.empty()) return std::nullopt;
  TaylorHull hull(upper, lower, limits_);
  const int64_t end_ns = std::max(upper.back().x_raw_ns, lower.back().x_raw_ns);
  std::vector<Jump> jumps;
  for (int64_t t = begin_ns; t <= end_ns; t += grid_ns_) {
    const auto past = hull.at_from(t, t - kOneSidedNs, t);
    const auto future = hull.at_from(t, t, t + kOneSidedNs);
    if (!hull.consistent(t, t - kOneSidedNs, t + kOneSidedNs)) {
      const std::optional<int64_t> step = clearest_step(hull, t);
      if (!step && relax(&hull, t)) continue;
      // Closer than this the answers from the future already saw the contradiction.
      while (!jumps.empty() && jumps.back().t_raw_ns > t - kOneSidedNs - grid_ns_) jumps.pop_back();
      if (const auto suspect = first_suspect(jumps)) return suspect;
      return locate(hull, step.value_or(t));
    }
    if (!past || !future) continue;
    jumps.push_back(
        {t, future->estimate_ns() - past->estimate_ns(), past->width_ns(), future->width_ns()});
  }
  return first_suspect(jumps);
}

// The contradiction at t comes from a step at most kOneSidedNs later. At the step itself past and
// future exclude each other; the instant where they lie farthest apart locates it best.
std::optional<int64_t> EdgeModel::clearest_step(const TaylorHull& hull, int64_t t_raw_ns) const {
  std::optional<int64_t> best;
  int64_t best_gap_ns = 0;
  for (int64_t t = t_raw_ns; t <= t_raw_ns + kOneSidedNs; t += grid_ns_) {
    const auto past = hull.at_from(t, t - kOneSidedNs, t);
    const auto future = hull.at_from(t, t, t + kOneSidedNs);
    if (!past || !future) continue;
    const int64_t gap_ns = std::max(future->lo_ns - past->hi_ns, past->lo_ns - future->hi_ns);
    if (gap_ns <= best_gap_ns) continue;
    best_gap_ns = gap_ns;
    best = t;
  }
  return best;
}

bool EdgeModel::relax(TaylorHull* hull, int64_t t_raw_ns) {
  for (double d = limits_.d_ns_s2; d < kMaxRelaxedD;) {
    d = std::min(3 * d, kMaxRelaxedD);
    hull->set_d_ns_s2(d);
    if (!hull->consistent(t_raw_ns, t_raw_ns - kOneSidedNs, t_raw_ns + kOneSidedNs)) continue;
    limits_.d_ns_s2 = d;
    relaxed_ = true;
    return true;
  }
  hull->set_d_ns_s2(limits_.d_ns_s2);
  return false;
}

// The step lies after the start of the longest consistent end and before the end of the longest
// consistent beginning of the observations around t.
EdgeBreak EdgeModel::locate(const TaylorHull& hull, int64_t t_raw_ns) const {
  const int64_t from = t_raw_ns - kOneSidedNs, to = t_raw_ns + kOneSidedNs;
  int64_t good = from, bad = to;
  while (bad - good > 1) {
    const int64_t middle = good + (bad - good) / 2;
    // An answer that needs both directions is missing, not contradictory, when one direction is
    // absent.
    const bool consistent = hull.consistent(t_raw_ns, from, middle);
    (consistent ? good : bad) = middle;
  }
  const int64_t prefix_end = bad;
  good = to, bad = from;
  while (good - bad > 1) {
    const int64_t middle = bad + (good - bad) / 2;
    (hull.consistent(t_raw_ns, middle, to) ? good : bad) = middle;
  }
  EdgeBreak found;
  found.from_raw_ns = std::min(bad, prefix_end);
  found.to_raw_ns = std::max(bad, prefix_end);
  found.proved = true;
  const auto past = hull.at_from(t_raw_ns, from, found.from_raw_ns - 1);
  const auto future = hull.at_from(t_raw_ns, found.to_raw_ns + 1, to);
  if (past && future) found.jump_ns = future->estimate_ns() - past->estimate_ns();
  return found;
}

std::optional<EdgeBreak> EdgeModel::first_suspect(const std::vector<Jump>& jumps) const {
  if (jumps.size() < kSuspectMinInstants) return std::nullopt;
  // The lower quartile of the widths: windows that straddle a step are too narrow, and are fewer.
  const double floor_ns =
      quantile(jumps, 0.25, [](const Jump& j) { return std::min(j.past_ns, j.future_ns); });
  const double usual_ns = quantile(jumps, 0.5, [](const Jump& j) { return std::llabs(j.jump_ns); });
  const auto excess = [&](const Jump& j) {
    const double noise_ns = (std::max(0.0, double(j.past_ns) - floor_ns) +
                             std::max(0.0, double(j.future_ns) - floor_ns)) /
                            2;
    return double(std::llabs(j.jump_ns)) - noise_ns - kSuspectFloorShare * floor_ns -
           kSuspectUsualJumps * usual_ns;
  };
  const auto first =
      std::find_if(jumps.begin(), jumps.end(), [&](const Jump& j) { return excess(j) > 0; });
  if (first == jumps.end()) return std::nullopt;
  auto peak = first;
  for (auto j = first; j != jumps.end() && excess(*j) > 0; ++j) {
    if (excess(*j) > excess(*peak)) peak = j;
  }
  // The jump of the estimate grows as the window slides over the step and is largest at the step.
  const auto large = [&](const Jump& j) {
    return 2 * std::llabs(j.jump_ns) > std::llabs(peak->jump_ns);
  };
  auto from = peak, to = peak;
  while (from != jumps.begin() && large(*(from - 1))) --from;
  while (to + 1 != jumps.end() && large(*(to + 1))) ++to;
  EdgeBreak found;
  found.from_raw_ns = from->t_raw_ns - grid_ns_;
  found.to_raw_ns = to->t_raw_ns + grid_ns_;
  found.jump_ns = peak->jump_ns;
  return found;
}

void EdgeModel::add_piece(const EdgeBounds& bounds, int64_t first_ns, int64_t last_ns) {
  Piece piece;
  piece.first_ns = first_ns;
  piece.last_ns = last_ns;
  const TaylorHull hull(bounds.upper, bounds.lower, limits_);
  for (int64_t t = first_ns;; t += grid_ns_) {
    auto knot = hull.at(t);
    // Consistent nearby but not over the whole horizon: D is too small over that distance.
    if (!knot && (knot = hull.at_from(t, t - kOneSidedNs, t + kOneSidedNs))) relaxed_ = true;
    add_knot(&piece, knot);
    if (t >= last_ns) break;
  }
  pieces_.push_back(std::move(piece));
}

EdgeModel::Chord EdgeModel::chord_of(const Piece& piece, int64_t t_raw_ns) const {
  Chord chord;
  const size_t k = size_t((t_raw_ns - piece.first_ns) / grid_ns_);
  const auto& left = piece.knots[k];
  const auto& right = piece.knots[std::min(k + 1, piece.knots.size() - 1)];
  if (!left || !right) return chord;
  chord.first_ns_ = piece.first_ns + int64_t(k) * grid_ns_;
  chord.end_ns_ = chord.first_ns_ + grid_ns_;
  chord.grid_ns_ = double(grid_ns_);
  chord.left_ = *left;
  chord.right_ = *right;
  chord.bulge_ns_ = bulge_ns_;
  return chord;
}

EdgeModel::Chord EdgeModel::chord_at(int64_t t_raw_ns) const {
  const bool answers = t_raw_ns >= from_ns_ && t_raw_ns <= to_ns_;
  return answers && pieces_.size() == 1 ? chord_of(pieces_.front(), t_raw_ns) : Chord();
}

std::optional<OffsetInterval> EdgeModel::at(int64_t t_raw_ns) const {
  std::optional<OffsetInterval> all;
  if (t_raw_ns < from_ns_ || t_raw_ns > to_ns_) return all;
  const auto first =
      std::lower_bound(pieces_.begin(), pieces_.end(), t_raw_ns,
                       [](const Piece& piece, int64_t t) { return piece.last_ns < t; });
  for (auto piece = first; piece != pieces_.end() && piece->first_ns <= t_raw_ns; ++piece) {
    const Chord chord = chord_of(*piece, t_raw_ns);
    if (!chord.has(t_raw_ns)) return std::nullopt;
    const OffsetInterval own = chord.at(t_raw_ns);
    all = all ? OffsetInterval{std::min(all->lo_ns, own.lo_ns), std::max(all->hi_ns, own.hi_ns)}
              : own;
  }
  return all;
}

}  // namespace lockstep::clocksync
