// Keeps the prober small: a cap on its CPU time and on its packets, and a way to sit out a flood of
// bad packets. Pure arithmetic on what it is told; owned by the prober's thread.
#pragma once

#include <cstdint>

namespace lockstep::clocksync {

class LoadGuard {
 public:
  LoadGuard(double cpu_cap_percent, uint32_t packets_per_s_cap)
      : cpu_cap_percent_(cpu_cap_percent), packets_cap_(packets_per_s_cap) {}

  // True when one more packet fits into this second.
  bool may_send(int64_t mono_ns);
  // Once a second or so: the thread's CPU clock and the monotonic clock. Updates scale() and
  // cpu_percent().
  void measure(int64_t thread_cpu_ns, int64_t mono_ns);
  // What is left of the wanted rates, 0.05 to 1.
  double scale() const { return scale_; }
  double cpu_percent() const { return cpu_percent_; }

  // Packets that could not be believed. More than 1000 in a second make a flood of it for five
  // seconds.
  void rejected(uint64_t count, int64_t mono_ns);
  bool flooded(int64_t mono_ns) const { return mono_ns < flooded_until_ns_; }

 private:
  const double cpu_cap_percent_;
  const uint32_t packets_cap_;
  double scale_ = 1, cpu_percent_ = 0;
  int64_t measured_ns_ = 0, measured_cpu_ns_ = 0;
  int64_t second_ns_ = 0, rejected_second_ns_ = 0, flooded_until_ns_ = 0;
  uint64_t sent_in_second_ = 0, rejected_in_second_ = 0;
  bool hit_packet_cap_ = false;
};

}  // namespace lockstep::clocksync
