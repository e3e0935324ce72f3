#include "analysis/say/words.h"

#include <cctype>
#include <cmath>
#include <cstdio>
#include <iterator>

namespace lockstep::analysis {
namespace {

template <class... Values>
std::string formatted(const char* format, Values... values) {
  char text[64];
  std::snprintf(text, sizeof(text), format, values...);
  return text;
}

// `value` is below 999.5.
std::string three_digits(double value) {
  return formatted(value < 9.995 ? "%.2f" : value < 99.95 ? "%.1f" : "%.0f", value);
}

std::string long_duration(double seconds) {
  const long long whole = std::llround(seconds);
  if (whole < 7200) return formatted("%lld min %lld s", whole / 60, whole % 60);
  return formatted("%lld h %lld min", whole / 3600, whole % 3600 / 60);
}

}  // namespace

std::string duration(int64_t ns) {
  if (ns == 0) return "0 s";
  const std::string sign = ns < 0 ? "-" : "";
  const double size = ns < 0 ? -static_cast<double>(ns) : static_cast<double>(ns);
  if (size < 999.5) return sign + formatted("%.0f ns", size);
  if (size < 999.5e3) return sign + three_digits(size / 1e3) + " us";
  if (size < 999.5e6) return sign + three_digits(size / 1e6) + " ms";
  if (size < 119.5e9) return sign + three_digits(size / 1e9) + " s";
  return sign + long_duration(size / 1e9);
}

std::string bytes(uint64_t bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto value = static_cast<double>(bytes);
  unsigned unit = 0;
  while (value >= 1023.5 && unit + 1 < std::size(units)) {
    value /= 1024;
    ++unit;
  }
  return formatted("%.4g ", value) + units[unit];
}

std::string percent(double share) { return formatted("%.0f %%", share * 100); }

std::string one_decimal(double number) { return formatted("%.1f", number); }
std::string times(double factor) { return formatted("%.1f times", factor); }
std::string bandwidth(double gbs) {
  return formatted(gbs < 999.5 ? "%.3g GB/s" : "%.0f GB/s", gbs);
}

std::string counted(uint64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string listed(const std::vector<std::string>& items) {
  std::string text;
  for (size_t i = 0; i < items.size(); ++i) {
    if (i != 0) text += i + 1 == items.size() ? " and " : ", ";
    text += items[i];
  }
  return text;
}

std::string capitalized(std::string sentence) {
  if (!sentence.empty())
    sentence[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence[0])));
  return sentence;
}

}  // namespace lockstep::analysis
