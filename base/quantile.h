// The middle of many values, and other shares of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace lockstep {

// The value below which `share` (0 to less than 1) of them lie; 0 when there are none. Reorders them.
template <class T>
T quantile(std::vector<T>* values, double share) {
  if (values->empty()) return T();
  const auto at = static_cast<std::ptrdiff_t>(static_cast<double>(values->size()) * share);
  std::nth_element(values->begin(), values->begin() + at, values->end());
  return (*values)[static_cast<size_t>(at)];
}

// The middle value, the lower one of two; 0 when there are none. Reorders them.
template <class T>
T lower_median(std::vector<T>* values) {
  if (values->empty()) return T();
  const auto middle = values->begin() + static_cast<std::ptrdiff_t>((values->size() - 1) / 2);
  std::nth_element(values->begin(), middle, values->end());
  return *middle;
}

template <class T>
T median(std::vector<T>* values) {
  return quantile(values, 0.5);
}
// Of a copy, which leaves the values in their order.
template <class T>
T median_of(std::vector<T> values) {
  return median(&values);
}

// Values at least as large as this one make up half of their sum, if none is negative; 0 when there are none.
// Reorders them.
template <class T>
T half_of_sum(std::vector<T>* values) {
  std::sort(values->rbegin(), values->rend());
  const T all = std::accumulate(values->begin(), values->end(), T());
  T so_far = T();
  for (const T one : *values) {
    so_far += one;
    if (so_far * 2 >= all) return one;
  }
  return T();
}

}  // namespace lockstep
