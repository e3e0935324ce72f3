#include "analysis/whatif/whole_hosts.h"

#include <algorithm>

#include "analysis/whatif/rank_sets.h"
#include "analysis/whatif/shared_occasions.h"

namespace lockstep::analysis {
namespace {

// Of what the worst rank costs, what each other must.
constexpr int64_t kPartOfWorst = 2;

// The culprits of which each is one of these ranks; none if a rank is not accused, or costs far less than another.
std::vector<size_t> whole_of(const std::vector<uint32_t>& actors,
                             const std::vector<Culprit>& found) {
  std::vector<size_t> whole;
  int64_t least_ns = INT64_MAX, most_ns = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    const Culprit& one = found[i];
    if (one.actors.size() != 1 || one.once || one.bout || !is_in(actors, one.actors.front()))
      continue;
    whole.push_back(i);
    least_ns = std::min(least_ns, one.gain_ns);
    most_ns = std::max(most_ns, one.gain_ns);
  }
  const bool all = whole.size() == actors.size();
  return all && least_ns * kPartOfWorst >= most_ns ? whole : std::vector<size_t>();
}

// What each gains was found with those before it cured.
void take_in(const Culprit& other, Culprit* one) {
  one->host = true;
  one->actors.insert(one->actors.end(), other.actors.begin(), other.actors.end());
  one->gain_ns += other.gain_ns;
  one->chance = std::max(one->chance, other.chance);
  one->stable = std::min(one->stable, other.stable);
  one->alone = one->alone && other.alone;
  one->occasions.insert(one->occasions.end(), other.occasions.begin(), other.occasions.end());
}

}  // namespace

void merge_whole_hosts(const RunTables& run, const OwnSegments& own, std::vector<Culprit>* found) {
  if (found->size() < 2) return;
  std::vector<uint8_t> active(own.actors.size());
  for (const uint32_t a : own.order) active[own.segments[a].actor] = 1;
  for (const RankSet& set : sets_of_ranks(run, own, active)) {
    const std::vector<size_t> whole =
        set.host ? whole_of(set.actors, *found) : std::vector<size_t>();
    if (whole.empty()) continue;
    Culprit& first = (*found)[whole.front()];
    for (size_t i = whole.size(); i-- > 1;) {
      take_in((*found)[whole[i]], &first);
      found->erase(found->begin() + static_cast<ptrdiff_t>(whole[i]));
    }
    std::sort(first.occasions.begin(), first.occasions.end(), [&](const auto& a, const auto& b) {
      return own.segments[a.arrival].start_ns < own.segments[b.arrival].start_ns;
    });
  }
}

}  // namespace lockstep::analysis
