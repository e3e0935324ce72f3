// Lists of numbers as people write them: "0-3,7". Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep {

// Of numbers in any order; repeated ones count once. "" for none.
std::string number_ranges(std::vector<int64_t> numbers);

// First and last of each range, in the order of the text.
using NumberRanges = std::vector<std::pair<uint32_t, uint32_t>>;
// Empty for what is no such list.
std::optional<NumberRanges> parse_number_ranges(std::string_view text);
bool is_within(const NumberRanges& ranges, int64_t number);

}  // namespace lockstep
