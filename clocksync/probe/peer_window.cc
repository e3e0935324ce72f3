#include "clocksync/probe/peer_window.h"

#include <algorithm>
#include <cmath>

namespace lockstep::clocksync {

std::vector<OffsetBound> PeerWindow::sorted(const std::deque<Bound>& bounds) {
  std::vector<OffsetBound> offsets;
  for (const Bound& bound : bounds) offsets.push_back(bound.offset);
  std::sort(offsets.begin(), offsets.end(),
            [](const OffsetBound& a, const OffsetBound& b) { return a.x_raw_ns < b.x_raw_ns; });
  return offsets;
}

// peer - ours at the instant of reception (our clock) is at least tx - rx.
void PeerWindow::add_incoming(const HullPoint& point) {
  const int64_t offset_ns = -(point.delta_ns + int64_t{point.uncertainty_ns});
  lower_.push_back({{point.tx_raw_ns + point.delta_ns, offset_ns}, point.kind});
}

void PeerWindow::add_outgoing(const RawStamp& sent, const RawStamp& received, StampKind kind) {
  const int64_t uncertainty_ns = sent.uncertainty_ns + received.uncertainty_ns;
  upper_.push_back({{sent.raw_ns, received.raw_ns - sent.raw_ns + uncertainty_ns}, kind});
}

void PeerWindow::forget_before(int64_t raw_ns) {
  const auto old = [raw_ns](const Bound& bound) { return bound.offset.x_raw_ns < raw_ns; };
  upper_.erase(std::remove_if(upper_.begin(), upper_.end(), old), upper_.end());
  lower_.erase(std::remove_if(lower_.begin(), lower_.end(), old), lower_.end());
}

void PeerWindow::clear() {
  upper_.clear();
  lower_.clear();
}

std::optional<PeerWindow::Estimate> PeerWindow::estimate(int64_t end_raw_ns) const {
  if (upper_.empty() || lower_.empty()) return std::nullopt;
  const TaylorHull hull(sorted(upper_), sorted(lower_), limits_);
  const int64_t start_raw_ns = end_raw_ns - length_ns_;
  const auto start = hull.at(start_raw_ns);
  const auto centre = hull.at(end_raw_ns - length_ns_ / 2);
  const auto end = hull.at(end_raw_ns);
  if (!start || !centre || !end) return std::nullopt;
  Estimate estimate;
  estimate.centre = *centre;
  const double slope = static_cast<double>(end->estimate_ns() - start->estimate_ns()) /
                       static_cast<double>(length_ns_);
  estimate.alpha = 1 + slope;
  // The fastest way there and the fastest way back, each as its distance to the estimated line.
  const auto distance_ns = [&](const Bound& bound) {
    const auto x_ns = static_cast<double>(bound.offset.x_raw_ns - start_raw_ns);
    return static_cast<double>(bound.offset.offset_ns - start->estimate_ns()) - slope * x_ns;
  };
  double there_ns = 1e18, back_ns = 1e18;
  for (const Bound& bound : upper_) there_ns = std::min(there_ns, distance_ns(bound));
  for (const Bound& bound : lower_) back_ns = std::min(back_ns, -distance_ns(bound));
  estimate.min_rtt_ns = std::max<int64_t>(0, std::llround(there_ns + back_ns));
  estimate.kind = usual_kind();
  estimate.pairs = std::min(upper_.size(), lower_.size());
  return estimate;
}

StampKind PeerWindow::usual_kind() const {
  size_t kernel = 0;
  for (const Bound& bound : lower_) kernel += bound.kind >= StampKind::Kernel ? 1 : 0;
  return 2 * kernel > lower_.size() ? StampKind::Kernel : StampKind::Application;
}

}  // namespace lockstep::clocksync
