#include "clocksync/probe/load_guard.h"

#include <algorithm>

#include "clocksync/probe/second.h"

namespace lockstep::clocksync {
namespace {

constexpr uint64_t kRejectedPerSecond = 1000;
constexpr int64_t kFloodNs = 5 * kSecondNs;
constexpr double kSmallestScale = 0.05;

}  // namespace

bool LoadGuard::may_send(int64_t mono_ns) {
  if (mono_ns - second_ns_ >= kSecondNs) {
    second_ns_ = mono_ns;
    sent_in_second_ = 0;
  }
  if (sent_in_second_ >= packets_cap_) {
    hit_packet_cap_ = true;
    return false;
  }
  ++sent_in_second_;
  return true;
}

void LoadGuard::measure(int64_t thread_cpu_ns, int64_t mono_ns) {
  const int64_t elapsed_ns = mono_ns - measured_ns_;
  if (measured_ns_ != 0 && elapsed_ns > 0) {
    const auto used_ns = static_cast<double>(thread_cpu_ns - measured_cpu_ns_);
    cpu_percent_ = 100.0 * used_ns / static_cast<double>(elapsed_ns);
    if (cpu_percent_ > cpu_cap_percent_) {
      scale_ *= std::max(0.5, 0.9 * cpu_cap_percent_ / cpu_percent_);
    } else if (hit_packet_cap_) {
      scale_ *= 0.8;
    } else if (cpu_percent_ < 0.7 * cpu_cap_percent_) {
      scale_ *= 1.25;
    }
    scale_ = std::clamp(scale_, kSmallestScale, 1.0);
  }
  hit_packet_cap_ = false;
  measured_ns_ = mono_ns;
  measured_cpu_ns_ = thread_cpu_ns;
}

void LoadGuard::rejected(uint64_t count, int64_t mono_ns) {
  if (mono_ns - rejected_second_ns_ >= kSecondNs) {
    rejected_second_ns_ = mono_ns;
    rejected_in_second_ = 0;
  }
  rejected_in_second_ += count;
  if (rejected_in_second_ > kRejectedPerSecond) flooded_until_ns_ = mono_ns + kFloodNs;
}

}  // namespace lockstep::clocksync
