#include "analysis/paths/receiver_or_way.h"

#include <algorithm>

namespace lockstep::analysis {
namespace {

// Of what a slow proxy thread is late to see of its receives, what it is late to see of its sends.
constexpr double kOfItsReceives = 0.1;
// What the way delays adds up: it is so much of an operation's time, or the receiver's kernel ends so much of it later than
// the sender's. What a receiver delays holds its sender up, step by step, and the last step shows but little of it.
constexpr double kOfOperation = 1.0 / 3, kOfDelay = 0.5;
// By how much of an operation's time a way must be slow, or a receiver: healthy ones differ by up to 7 %.
constexpr double kLeastOfWay = 0.15, kLeastOfReceiver = 0.08;

bool knows_lag(const RingSeries& series, const SeenRing& seen, const std::vector<UsualEdge>& usual,
               size_t edge) {
  return edge < series.edges.size() && seen.edges[edge].lag.known() &&
         usual[edge].lag_ns != kNoTime;
}
int64_t more_lag_ns(const SeenRing& seen, const std::vector<UsualEdge>& usual, size_t edge) {
  return seen.edges[edge].lag.ns - usual[edge].lag_ns;
}

}  // namespace

bool sees_its_sends_late(const RingSeries& series, const SeenRing& seen,
                         const std::vector<UsualEdge>& usual, const TransferExcess& receiver) {
  const size_t in = series.edge_from(receiver.actors.front());
  const size_t out = series.edge_from(receiver.actors.back());
  return knows_lag(series, seen, usual, in) && knows_lag(series, seen, usual, out) &&
         -more_lag_ns(seen, usual, out) >= part_of(more_lag_ns(seen, usual, in), kOfItsReceives);
}

void tell_ways_from_receivers(const RingSeries& series, const SeenRing& seen,
                              const std::vector<UsualEdge>& usual,
                              std::vector<TransferExcess>* excesses) {
  const auto known = [&](size_t i) { return knows_lag(series, seen, usual, i); };
  const auto adds_up = [&](size_t i) {
    const Middle& later = seen.edges[i].later;
    const int64_t more_ns = more_lag_ns(seen, usual, i);
    return more_ns >= part_of(seen.time.ns, kOfOperation) ||
           (later.known() && usual[i].later_ns != kNoTime &&
            later.ns - usual[i].later_ns >= part_of(more_ns, kOfDelay));
  };
  for (TransferExcess& one : *excesses) {
    if (!is_of_receiver(one.side) || one.side == SlowSide::ReceiverGpu) continue;
    const size_t in = series.edge_from(one.actors.front());
    const size_t out = series.edge_from(one.actors.back());
    if (known(in) && known(out) && adds_up(in) && !sees_its_sends_late(series, seen, usual, one))
      one.side = SlowSide::Way;
  }
  const auto is_trifle = [&](const TransferExcess& one) {
    const double least = one.side == SlowSide::Way ? kLeastOfWay : kLeastOfReceiver;
    return (one.side == SlowSide::Way || is_of_receiver(one.side)) &&
           one.excess_ns < part_of(seen.time.ns, least) &&
           !sees_its_sends_late(series, seen, usual, one);
  };
  excesses->erase(std::remove_if(excesses->begin(), excesses->end(), is_trifle), excesses->end());
}

}  // namespace lockstep::analysis
