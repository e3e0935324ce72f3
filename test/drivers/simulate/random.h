// Random numbers without a state: each is a function of the seed and of what it is for, so that a run
// with a fault and the same run without it differ in nothing but the fault, in whatever order the
// engine asks. Any thread.
#pragma once

#include <cmath>
#include <cstdint>

#include "test/drivers/simulate/exact_math.h"

namespace lockstep::simulate {

// What a number is drawn for; each has numbers of its own.
enum class Draw : uint8_t {
  HostTime,
  KernelTime,
  TransferTime,
  EndTime,
  Congestion,
  Retransmission,
  Preemption,
  PreemptionTime,
  Loader,
  LoaderStall,
  Collection,
  Clock,
  Choice,
  Poll,
  Burst,
};

class Random {
 public:
  explicit Random(uint64_t seed) : seed_(mixed(seed + 0x9e3779b97f4a7c15)) {}

  uint64_t bits(Draw what, uint64_t a, uint64_t b = 0, uint64_t c = 0) const {
    return mixed(mixed(mixed(seed_ ^ (a << 8 | static_cast<uint64_t>(what))) ^ b) ^ c);
  }
  // In [0, 1).
  double uniform(Draw what, uint64_t a, uint64_t b = 0, uint64_t c = 0) const {
    return fraction(bits(what, a, b, c));
  }
  // Below `end`, which is not 0.
  uint64_t below(uint64_t end, Draw what, uint64_t a, uint64_t b = 0, uint64_t c = 0) const {
    return static_cast<uint64_t>(uniform(what, a, b, c) * static_cast<double>(end));
  }
  // By the polar method of Marsaglia: a point in the unit circle.
  double normal(Draw what, uint64_t a, uint64_t b = 0, uint64_t c = 0) const {
    for (uint64_t point = bits(what, a, b, c);; point = mixed(point + 1)) {
      const double u = 2 * fraction(point) - 1, v = 2 * fraction(mixed(point ^ seed_)) - 1;
      const double square = u * u + v * v;
      if (square < 1 && square > 0) return u * std::sqrt(-2 * exact_log(square) / square);
    }
  }
  // Median 1.
  double lognormal(double sigma, Draw what, uint64_t a, uint64_t b = 0, uint64_t c = 0) const {
    return sigma == 0 ? 1 : exact_exp(sigma * normal(what, a, b, c));
  }
  double exponential(Draw what, uint64_t a, uint64_t b = 0, uint64_t c = 0) const {
    return -exact_log(1 - uniform(what, a, b, c));
  }

 private:
  // The finaliser of splitmix64.
  static constexpr uint64_t mixed(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
  }
  static constexpr double fraction(uint64_t x) { return static_cast<double>(x >> 11) * 0x1p-53; }

  uint64_t seed_;
};

}  // namespace lockstep::simulate
