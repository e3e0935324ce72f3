// Logarithm and exponential from additions and multiplications alone, in a fixed order: the C
// library's differ in the last bit from processor to processor, and with them a whole run would. Good to
// 12 digits. Pure functions.
#pragma once

#include <cstdint>
#include <cstring>

namespace lockstep::simulate {

// Of a positive, normal number.
inline double exact_log(double x) {
  constexpr double kLog2 = 0.693147180559945309417;
  uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  auto exponent = static_cast<int>(bits >> 52) - 1023;
  bits = (bits & 0xfffffffffffff) | uint64_t{1023} << 52;
  double mantissa = 0;  // in [1, 2), then around 1
  std::memcpy(&mantissa, &bits, sizeof mantissa);
  if (mantissa > 1.4142135623730951) {
    mantissa *= 0.5;
    ++exponent;
  }
  const double s = (mantissa - 1) / (mantissa + 1), square = s * s;
  double sum = 0;
  for (int n = 15; n > 0; n -= 2) sum = sum * square + 1.0 / n;
  return exponent * kLog2 + 2 * s * sum;
}

// Of what gives a normal number.
inline double exact_exp(double x) {
  constexpr double kLog2 = 0.693147180559945309417;
  const double scaled = x / kLog2;
  const auto exponent = static_cast<int64_t>(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
  const double rest = x - static_cast<double>(exponent) * kLog2;
  double sum = 1;
  for (int n = 13; n > 0; --n) sum = 1 + rest / n * sum;
  const auto bits = static_cast<uint64_t>(exponent + 1023) << 52;
  double power = 0;
  std::memcpy(&power, &bits, sizeof power);
  return power * sum;
}

}  // namespace lockstep::simulate
