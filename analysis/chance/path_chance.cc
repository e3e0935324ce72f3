#include "analysis/chance/path_chance.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/chance/chance.h"
#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

// Noise would give anybody the occasions less often than this: where the others have no more of them
// together, and where they have.
constexpr double kMostChanceInNoise = 0.025, kMostChanceInMuchNoise = 0.002;

// Who looks twice sees chance twice as often.
constexpr double kLooks = 2;

using TimeLost = std::map<uint32_t, std::map<uint32_t, int64_t>>;  // by unit, by actor

// What the set lost in each unit beside those that it is compared with.
template <typename IsCompared>
std::vector<TrialLoss> compare(const TimeLost& lost_ns, const Compared& compared,
                               const IsCompared& is_compared) {
  std::vector<TrialLoss> trials;
  for (const auto& [unit, by_actor] : lost_ns) {
    TrialLoss trial;
    for (const auto& [actor, ns] : by_actor) {
      if (compared.set[actor] != 0)
        trial.own_ns = std::max(trial.own_ns, ns);
      else if (is_compared(actor))
        trial.others_ns = std::max(trial.others_ns, ns);
    }
    trials.push_back(trial);
  }
  return trials;
}

size_t count_others(const std::vector<TrialLoss>& trials) {
  return static_cast<size_t>(std::count_if(
      trials.begin(), trials.end(), [](const TrialLoss& one) { return one.others_ns != 0; }));
}

// number: of each unit that is on the path, along it; of how many.
struct Units {
  std::map<uint32_t, size_t> number;
  size_t all = 0;
};

double chance_of_losses(const TimeLost& lost_ns, const Units& units, const Compared& compared) {
  const auto size = static_cast<double>(compared.set_size);
  const std::vector<TrialLoss> all = compare(lost_ns, compared, [](uint32_t) { return true; });
  std::vector<size_t> moments;  // of the set's units
  for (const auto& [unit, by_actor] : lost_ns) {
    if (std::any_of(by_actor.begin(), by_actor.end(),
                    [&](const auto& loss) { return compared.set[loss.first] != 0; }))
      moments.push_back(units.number.at(unit));
  }
  if (moments.empty()) return 1;
  std::sort(moments.begin(), moments.end());
  double chance = chance_of(all, size / static_cast<double>(compared.suspects));
  // A stage that does more is on the path more often: then its own kind is the measure.
  const std::vector<TrialLoss> kind =
      compare(lost_ns, compared, [&](uint32_t actor) { return compared.peers[actor] != 0; });
  if (count_others(kind) != 0) {
    const auto peers = static_cast<double>(std::count_if(
        compared.peers.begin(), compared.peers.end(), [](uint8_t one) { return one != 0; }));
    chance = std::max(chance, chance_of(kind, size / (peers + size)));
  }
  // Noise would not gather in one part of the run either.
  const auto count = static_cast<double>(moments.size());
  const double window =
      static_cast<double>(moments.back() - moments.front() + 1) / static_cast<double>(units.all);
  chance *= std::min(1.0, count * std::pow(window, count - 1));
  const size_t others = count_others(all);
  const double most = others > moments.size() ? kMostChanceInMuchNoise : kMostChanceInNoise;
  return others != 0 && chance > most ? 1 : chance;
}

// What the set typically lost in a unit: half of the sum of all lies in larger ones.
int64_t typical_of_set(const TimeLost& lost_ns, const Compared& compared) {
  std::vector<int64_t> own_ns;
  for (const TrialLoss& one : compare(lost_ns, compared, [](uint32_t) { return false; })) {
    if (one.own_ns != 0) own_ns.push_back(one.own_ns);
  }
  return own_ns.empty() ? 0 : half_of_sum(&own_ns);
}

TimeLost at_least(int64_t least_ns, const TimeLost& lost_ns) {
  TimeLost larger;
  for (const auto& [unit, by_actor] : lost_ns) {
    for (const auto& [actor, ns] : by_actor) {
      if (ns >= least_ns) larger[unit][actor] = ns;
    }
  }
  return larger;
}

}  // namespace

double chance_on_path(const std::vector<PathLoss>& losses, const std::vector<uint32_t>& unit_of,
                      const Compared& compared) {
  Units units;
  for (size_t i = 0; i < unit_of.size(); ++i) {
    units.all += i == 0 || unit_of[i] != unit_of[i - 1] ? 1 : 0;
    units.number[unit_of[i]] = units.all - 1;
  }
  TimeLost lost_ns;
  for (const PathLoss& loss : losses) lost_ns[unit_of[loss.place]][loss.actor] += loss.ns;
  // Once more of the units that cost most, beside which small losses of others tell nothing.
  const TimeLost larger = at_least(typical_of_set(lost_ns, compared) / 2, lost_ns);
  const double of_all = chance_of_losses(lost_ns, units, compared);
  return larger.size() == lost_ns.size()
             ? of_all
             : std::min(of_all, kLooks * chance_of_losses(larger, units, compared));
}

}  // namespace lockstep::analysis
