#include "dumper/drain/disk_forecast.h"

#include <algorithm>

namespace lockstep::dumper {
namespace {

constexpr uint64_t kSecondNs = 1'000'000'000;
constexpr double kHourNs = 3600e9;

}  // namespace

void DiskForecast::look(uint64_t now_ns, uint64_t bytes) {
  if (count_ != 0 && now_ns - looks_[(count_ - 1) % looks_.size()].ns < kSecondNs) return;
  looks_[count_++ % looks_.size()] = {now_ns, bytes};
}

uint64_t DiskForecast::bytes_per_hour() const {
  if (count_ < 2) return 0;
  const Look& last = looks_[(count_ - 1) % looks_.size()];
  // Rounds may be more than a second apart: the oldest look within the last minute, or the one
  // before the last.
  for (size_t kept = std::min(count_, looks_.size()); kept >= 2; --kept) {
    const Look& first = looks_[(count_ - kept) % looks_.size()];
    if (kept > 2 && last.ns - first.ns > 60 * kSecondNs) continue;
    return static_cast<uint64_t>(static_cast<double>(last.bytes - first.bytes) * kHourNs /
                                 static_cast<double>(last.ns - first.ns));
  }
  return 0;
}

}  // namespace lockstep::dumper
