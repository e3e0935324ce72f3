#include "live/places/members.h"

#include <algorithm>
#include <functional>

#include "base/text.h"

namespace lockstep::live {
namespace {

constexpr int64_t kMostRanks = 1'000'000;
constexpr size_t kMostProcesses = 8;  // without a rank, by name

}  // namespace

// Rows are added in ascending order almost always.
void add_member(Members* members, uint32_t row) {
  const auto place = std::lower_bound(members->begin(), members->end(), row);
  if (place == members->end() || *place != row) members->insert(place, row);
}

std::string ranges(std::vector<int64_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  std::string text;
  for (size_t i = 0; i < numbers.size();) {
    size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(numbers[i]);
    if (last > i) text += "-" + std::to_string(numbers[last]);
    i = last + 1;
  }
  return text;
}

std::string in_words(const Members& members, const std::vector<StackRow>& rows) {
  std::vector<int64_t> ranks;
  std::vector<std::string> others;
  for (const uint32_t member : members) {
    const StackRow& row = rows[member];
    if (row.standing.rank >= 0)
      ranks.push_back(row.standing.rank);
    else
      others.push_back(std::to_string(row.stacks.pid) +
                       (row.host.empty() ? "" : " on " + row.host));
  }
  std::string words;
  // Two jobs of one user may have a rank 1 each.
  const bool one =
      std::adjacent_find(ranks.begin(), ranks.end(), std::not_equal_to<int64_t>()) == ranks.end();
  if (!ranks.empty()) words = (one ? "rank " : "ranks ") + ranges(ranks);
  if (others.empty()) return words;
  words +=
      std::string(words.empty() ? "" : "; ") + (others.size() == 1 ? "process " : "processes ");
  for (size_t i = 0; i < others.size() && i < kMostProcesses; ++i)
    words += (i == 0 ? "" : ", ") + others[i];
  if (others.size() > kMostProcesses)
    words += " and " + std::to_string(others.size() - kMostProcesses) + " more";
  return words;
}

Result<std::vector<int64_t>> parse_ranges(const std::string& text) {
  const auto wrong = [&] {
    return Status::error("'" + text + "' is no list of ranks: write 0-3,7");
  };
  std::vector<int64_t> numbers;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const size_t dash = part.find('-');
    const auto first = parse_number<int64_t>(part.substr(0, dash));
    const auto last =
        dash == std::string::npos ? first : parse_number<int64_t>(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last >= kMostRanks) return wrong();
    for (int64_t rank = *first; rank <= *last; ++rank) numbers.push_back(rank);
    begin = end + 1;
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

}  // namespace lockstep::live
