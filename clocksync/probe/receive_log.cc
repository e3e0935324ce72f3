#include "clocksync/probe/receive_log.h"

#include <algorithm>
#include <cstdlib>

#include "clocksync/solve/hull.h"

namespace lockstep::clocksync {
namespace {

// A train kept its spacing when neighbours differ by less than twice the stamps' usual noise.
constexpr int64_t kKernelSpacingNoiseNs = 1'000;
constexpr int64_t kApplicationSpacingNoiseNs = 10'000;

}  // namespace

HullBin& ReceiveLog::bin_at(int64_t raw_ns, int path) {
  HullBin& bin = bins_[{raw_ns / kHullBinNs, path}];
  bin.bin = raw_ns / kHullBinNs;
  bin.path = path;
  return bin;
}

void ReceiveLog::received(const Packet& packet, const RawStamp& stamp, StampKind kind) {
  const int path = (packet.flags & kFlagSecondPath) != 0 ? 1 : 0;
  Reception& slot = ring_[packet.sequence % ring_.size()];
  // Overwriting a packet that still waits: its own application stamp has to do.
  if (slot.open) complete(&slot, {slot.application_tx_raw_ns, 0}, StampKind::Application);
  slot = {packet.sequence,    stamp, kind, packet.sent_raw_ns, packet.train,
          packet.train_index, path,  true};
  if (first_ == 0) {
    first_ = packet.sequence;
    oldest_open_ = packet.sequence;
  }
  first_ = std::min(first_, packet.sequence);
  highest_ = std::max(highest_, packet.sequence);
  oldest_open_ = std::min(oldest_open_, packet.sequence);
  ++totals_.received;
  ++bin_at(stamp.raw_ns, path).received;
}

void ReceiveLog::duplicate(const RawStamp& stamp) {
  ++totals_.duplicated;
  ++bin_at(stamp.raw_ns, 0).duplicated;
}

void ReceiveLog::send_stamp(uint64_t sequence, const RawStamp& stamp, StampKind kind) {
  Reception& reception = ring_[sequence % ring_.size()];
  if (reception.open && reception.sequence == sequence) complete(&reception, stamp, kind);
}

void ReceiveLog::expire(int64_t now_raw_ns) {
  for (; oldest_open_ <= highest_; ++oldest_open_) {
    Reception& reception = ring_[oldest_open_ % ring_.size()];
    if (!reception.open || reception.sequence != oldest_open_) continue;
    if (now_raw_ns - reception.stamp.raw_ns < report_patience_ns_) break;
    complete(&reception, {reception.application_tx_raw_ns, 0}, StampKind::Application);
  }
}

void ReceiveLog::complete(Reception* reception, const RawStamp& tx, StampKind tx_kind) {
  reception->open = false;
  HullPoint point;
  point.tx_raw_ns = tx.raw_ns;
  point.delta_ns = reception->stamp.raw_ns - tx.raw_ns;
  point.kind = std::min(tx_kind, reception->kind);
  point.uncertainty_ns = static_cast<uint32_t>(
      std::min<int64_t>(reception->stamp.uncertainty_ns + tx.uncertainty_ns, UINT32_MAX));
  HullBin& bin = bin_at(reception->stamp.raw_ns, reception->path);
  judge_spacing(*reception, point, &bin);
  bin.points.push_back(point);
  ++points_;
  if (fastest_.kind == StampKind::None || point.delta_ns < fastest_delta_ns_) {
    fastest_ = {reception->sequence, reception->stamp, reception->kind};
    fastest_delta_ns_ = point.delta_ns;
  }
}

// The receive gap equals the send gap exactly when both packets had the same delay.
void ReceiveLog::judge_spacing(const Reception& reception, const HullPoint& point, HullBin* bin) {
  const Completed now = {reception.train, reception.train_index, point.delta_ns, point.kind};
  const bool neighbours = last_completed_ && last_completed_->train == now.train &&
                          last_completed_->train_index + 1 == now.train_index &&
                          last_completed_->kind == now.kind;
  if (neighbours) {
    const int64_t noise_ns =
        now.kind == StampKind::Application ? kApplicationSpacingNoiseNs : kKernelSpacingNoiseNs;
    const bool pure = std::llabs(now.delta_ns - last_completed_->delta_ns) < noise_ns;
    auto& [all, kept] = bin_pairs_[{bin->bin, bin->path}];
    ++all;
    kept += pure ? 1 : 0;
    ++totals_.train_pairs;
    totals_.pure_pairs += pure ? 1 : 0;
  }
  last_completed_ = now;
}

std::vector<HullBin> ReceiveLog::take_bins(const std::string& peer, int64_t now_raw_ns) {
  // What should have come by now and did not; late packets take themselves off again.
  const uint64_t expected = first_ == 0 ? 0 : highest_ - first_ + 1;
  totals_.lost = expected > totals_.received ? expected - totals_.received : 0;
  std::vector<HullBin> taken;
  for (auto& [key, bin] : bins_) {
    const auto [all, pure] = bin_pairs_[key];
    bin.purity = all == 0 ? 1.0 : static_cast<double>(pure) / static_cast<double>(all);
    bin.peer = peer;
    bin.t_raw_ns = now_raw_ns;
    bin.points = reduce_to_hull(std::move(bin.points));
    taken.push_back(std::move(bin));
  }
  if (!taken.empty() && totals_.lost > lost_told_) {
    taken.back().lost = totals_.lost - lost_told_;
    lost_told_ = totals_.lost;
  }
  bins_.clear();
  bin_pairs_.clear();
  return taken;
}

StampReport ReceiveLog::take_fastest() {
  const StampReport fastest = fastest_;
  fastest_ = {};
  return fastest;
}

}  // namespace lockstep::clocksync
