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
// Of two hosts the one whose ranks begin later empties its buffers later, too: a slow GPU takes so many times as long.
constexpr int64_t kTimesOtherGpu = 2;

// How much later than usual a rank sees that its receives and its sends are done.
struct Lateness {
  bool known = false;
  size_t in = 0;  // the edge that it receives over
  int64_t receives_ns = 0, sends_ns = 0;
  bool sees_its_sends_late() const {
    return known && sends_ns >= part_of(receives_ns, kOfItsReceives);
  }
};
Lateness lateness_of(const RingSeries& series, const SeenRing& seen,
                     const std::vector<UsualEdge>& usual, const TransferExcess& receiver) {
  const size_t in = series.edge_from(receiver.actors.front());
  const size_t out = series.edge_from(receiver.actors.back());
  const auto known = [&](size_t edge) {
    return edge < series.edges.size() && seen.edges[edge].lag.known() &&
           usual[edge].lag_ns != kNoTime;
  };
  if (!known(in) || !known(out)) return {};
  return {true, in, seen.edges[in].lag.ns - usual[in].lag_ns,
          usual[out].lag_ns - seen.edges[out].lag.ns};
}

}  // namespace

SlowSide receiver_side(const SeenEdge& seen, const UsualEdge& usual) {
  if (!seen.gpu.known() || usual.gpu_ns == kNoTime) return SlowSide::Receiver;
  return seen.gpu.ns - usual.gpu_ns > (seen.lag.ns - usual.lag_ns) / 2 ? SlowSide::ReceiverGpu
                                                                       : SlowSide::ReceiverProxy;
}

bool sees_its_sends_late(const RingSeries& series, const SeenRing& seen,
                         const std::vector<UsualEdge>& usual, const TransferExcess& receiver) {
  return lateness_of(series, seen, usual, receiver).sees_its_sends_late();
}

void tell_ways_from_receivers(const RingSeries& series, const SeenRing& seen,
                              const std::vector<UsualEdge>& usual,
                              std::vector<TransferExcess>* excesses) {
  const auto adds_up = [&](const Lateness& late) {
    const int64_t later_ns = usual[late.in].later_ns;
    const Middle& later = seen.edges[late.in].later;
    // Where steps do not tell how long a GPU takes to empty its buffers, that may be what makes its kernel end later.
    return late.receives_ns >= part_of(seen.time.ns, kOfOperation) ||
           (seen.edges[late.in].gpu.known() && later.known() && later_ns != kNoTime &&
            later.ns - later_ns >= part_of(late.receives_ns, kOfDelay));
  };
  for (TransferExcess& one : *excesses) {
    if (!is_of_receiver(one.side) || one.side == SlowSide::ReceiverGpu) continue;
    const Lateness late = lateness_of(series, seen, usual, one);
    if (late.known && adds_up(late) && !late.sees_its_sends_late()) one.side = SlowSide::Way;
  }
  const auto is_trifle = [&](const TransferExcess& one) {
    if (one.side == SlowSide::ReceiverGpu && series.network_edges().size() == 2) {
      const size_t in = series.edge_from(one.actors.front());
      if (seen.edges[in].gpu.ns < kTimesOtherGpu * usual[in].gpu_ns) return true;
    }
    const double least = one.side == SlowSide::Way ? kLeastOfWay : kLeastOfReceiver;
    return (one.side == SlowSide::Way || is_of_receiver(one.side)) &&
           one.excess_ns < part_of(seen.time.ns, least) &&
           !sees_its_sends_late(series, seen, usual, one);
  };
  excesses->erase(std::remove_if(excesses->begin(), excesses->end(), is_trifle), excesses->end());
}

void name_ways_out(const RingSeries& series, const SeenRing& seen,
                   std::vector<TransferExcess>* excesses) {
  const auto edge_of = [&](const TransferExcess& one) {
    return series.edge_from(one.actors.front());
  };
  std::vector<uint8_t> slow(series.edges.size());
  for (const TransferExcess& one : *excesses) slow[edge_of(one)] = 1;
  std::vector<TransferExcess> named;
  for (TransferExcess& one : *excesses) {
    const size_t edge = edge_of(one);
    size_t out = edge;
    do {
      out = (out + 1) % series.edges.size();
    } while (out != edge && !series.edges[out].network && slow[out] != 0);
    if (!series.edges[edge].network && series.edges[out].network && !seen.edges[out].wire.known()) {
      one.actors = {series.edges[out].from, series.edges[out].to};
      one.across_ns = 0;
    }
    const auto same = std::find_if(named.begin(), named.end(), [&](const TransferExcess& other) {
      return other.actors == one.actors;
    });
    if (same == named.end())
      named.push_back(std::move(one));
    else
      same->excess_ns += one.excess_ns;
  }
  *excesses = std::move(named);
}

}  // namespace lockstep::analysis
