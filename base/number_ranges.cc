#include "base/number_ranges.h"

#include <algorithm>

#include "base/text.h"

namespace lockstep {

std::string number_ranges(std::vector<int64_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  std::string text;
  for (size_t i = 0; i < numbers.size();) {
    size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(numbers[i]);
    if (last != i) text += "-" + std::to_string(numbers[last]);
    i = last + 1;
  }
  return text;
}

std::optional<NumberRanges> parse_number_ranges(std::string_view text) {
  NumberRanges ranges;
  while (true) {
    const size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    const size_t dash = part.find('-');
    const auto first = parse_number<uint32_t>(part.substr(0, dash));
    const auto last =
        dash == std::string_view::npos ? first : parse_number<uint32_t>(part.substr(dash + 1));
    if (!first || !last || *last < *first) return std::nullopt;
    ranges.emplace_back(*first, *last);
    if (comma == std::string_view::npos) return ranges;
    text.remove_prefix(comma + 1);
  }
}

bool is_within(const NumberRanges& ranges, int64_t number) {
  return std::any_of(ranges.begin(), ranges.end(), [number](const auto& range) {
    return number >= int64_t{range.first} && number <= int64_t{range.second};
  });
}

}  // namespace lockstep
