#include "clocksync/probe/send_log.h"

namespace lockstep::clocksync {
namespace {

constexpr int64_t kStampPatienceNs = 1'000'000'000;

}  // namespace

void SendLog::sent(int64_t application_raw_ns, bool expects_kernel_stamp) {
  const uint64_t sequence = ++last_sequence_;
  ring_[sequence % ring_.size()] = {
      sequence, {application_raw_ns, 0}, StampKind::Application, expects_kernel_stamp};
}

bool SendLog::kernel_stamp(uint64_t sequence, const RawStamp& stamp) {
  SentPacket& packet = ring_[sequence % ring_.size()];
  if (packet.sequence != sequence || !packet.waits_for_kernel) return false;
  packet.waits_for_kernel = false;
  if (stamp.raw_ns + stamp.uncertainty_ns < packet.stamp.raw_ns) return false;
  packet.stamp = stamp;
  packet.kind = StampKind::Kernel;
  to_report_.push_back(sequence);
  if (to_report_.size() > most_reports_) to_report_.pop_front();
  return true;
}

const SentPacket* SendLog::find(uint64_t sequence) const {
  const SentPacket& packet = ring_[sequence % ring_.size()];
  return sequence != 0 && packet.sequence == sequence ? &packet : nullptr;
}

StampReport SendLog::take_report() {
  while (!to_report_.empty()) {
    const uint64_t sequence = to_report_.front();
    to_report_.pop_front();
    const SentPacket* packet = find(sequence);
    if (packet != nullptr) return {sequence, packet->stamp, packet->kind};
  }
  return {};
}

uint64_t SendLog::take_missing(int64_t now_raw_ns) {
  uint64_t missing = 0;
  while (checked_sequence_ < last_sequence_) {
    SentPacket& packet = ring_[(checked_sequence_ + 1) % ring_.size()];
    if (packet.sequence == checked_sequence_ + 1) {
      if (now_raw_ns - packet.stamp.raw_ns < kStampPatienceNs) break;
      missing += packet.waits_for_kernel ? 1 : 0;
      packet.waits_for_kernel = false;
    }
    ++checked_sequence_;
  }
  return missing;
}

}  // namespace lockstep::clocksync
