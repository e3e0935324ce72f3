#include "live/places/members.h"

#include <algorithm>
#include <functional>

#include "base/number_ranges.h"

namespace lockstep::live {
namespace {

constexpr size_t kMostProcesses = 8;  // without a rank, by name

}  // namespace

// Rows are added in ascending order almost always.
void add_member(Members* members, uint32_t row) {
  const auto place = std::lower_bound(members->begin(), members->end(), row);
  if (place == members->end() || *place != row) members->insert(place, row);
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
  if (!ranks.empty()) words = (one ? "rank " : "ranks ") + number_ranges(ranks);
  if (others.empty()) return words;
  words +=
      std::string(words.empty() ? "" : "; ") + (others.size() == 1 ? "process " : "processes ");
  for (size_t i = 0; i < others.size() && i < kMostProcesses; ++i)
    words += (i == 0 ? "" : ", ") + others[i];
  if (others.size() > kMostProcesses)
    words += " and " + std::to_string(others.size() - kMostProcesses) + " more";
  return words;
}

}  // namespace lockstep::live
