#include "analysis/whatif/path_chance.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/whatif/chance.h"

namespace lockstep::analysis {
namespace {

// Noise would give anybody the occasions less often than this: where the others have no more of them
// together, and where they have.
constexpr double kMostChanceInNoise = 0.025, kMostChanceInMuchNoise = 0.002;

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

}  // namespace

double chance_on_path(const std::vector<PathLoss>& losses, const std::vector<uint32_t>& unit_of,
                      const Compared& compared) {
  std::vector<size_t> number(unit_of.size());  // of each piece's unit, along the path
  for (size_t i = 1; i < unit_of.size(); ++i)
    number[i] = number[i - 1] + (unit_of[i] != unit_of[i - 1] ? 1 : 0);
  TimeLost lost_ns;
  std::set<uint32_t> own;
  std::vector<size_t> moments;  // of the set's units
  for (const PathLoss& loss : losses) {
    const uint32_t unit = unit_of[loss.place];
    if (compared.set[loss.actor] != 0 && own.insert(unit).second)
      moments.push_back(number[loss.place]);
    lost_ns[unit][loss.actor] += loss.ns;
  }
  if (own.empty()) return 1;
  const auto size = static_cast<double>(compared.set_size);
  const std::vector<TrialLoss> all = compare(lost_ns, compared, [](uint32_t) { return true; });
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
  const auto count = static_cast<double>(own.size());
  const double window = static_cast<double>(moments.back() - moments.front() + 1) /
                        static_cast<double>(number.back() + 1);
  chance *= std::min(1.0, count * std::pow(window, count - 1));
  const size_t others = count_others(all);
  const double most = others > own.size() ? kMostChanceInMuchNoise : kMostChanceInNoise;
  return others != 0 && chance > most ? 1 : chance;
}

}  // namespace lockstep::analysis
