#include "analysis/whatif/occasions.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "analysis/chance/path_chance.h"
#include "analysis/whatif/caused_waits.h"
#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

constexpr size_t kFewestOccasions = 2;
// Fewer trials do not tell much of ranks that are late in all of them.
constexpr size_t kFewTrials = 16;
// A chance as small as this is accepted whatever it costs.
constexpr double kSurelyNoChance = 0.01;
// Before one call alone such a part of all must be lost.
constexpr int64_t kPartOfCall = 3;
// Clock reads, cache misses and interrupts alone make ranks late by so much.
constexpr int64_t kLeastTypicalNs = 50'000;

// Those without are one step more, to be on the safe side.
bool know_steps(const std::vector<PathLoss>& losses, const std::vector<uint32_t>& steps) {
  const auto without = std::count_if(losses.begin(), losses.end(), [&](const PathLoss& loss) {
    return steps[loss.place] == kNoRow;
  });
  return static_cast<size_t>(without) * 4 <= losses.size();
}

class Collection {
 public:
  Collection(const Inquiry& inquiry, const std::vector<uint32_t>& actors)
      : run_(inquiry.run), own_(inquiry.own), inquiry_(inquiry), actors_(actors) {}

  Occasions collect() {
    const int64_t typical_ns = typical_loss_ns();
    if (typical_ns < kLeastTypicalNs) return {};
    Occasions found = collect(typical_ns / 2);
    if (found.chance <= kSurelyNoChance || !by_kernels(run_, found.all)) return found;
    // Who is late more and more was less late before. Who looks again sees chance more often.
    double looks = 1;
    for (const int64_t part : {4, 8}) {
      Occasions more = collect(typical_ns / part);
      looks *= 2;
      more.chance = std::min(1.0, looks * more.chance);
      if (more.chance <= kSurelyNoChance) return more;
    }
    // Who is late before one call each time is not excused by who is late before another now and then.
    if (!look_at_worst_call()) return found;
    Occasions of_call = collect(typical_loss_ns() / 2);
    of_call.chance = std::min(1.0, 2 * looks * of_call.chance);
    return of_call.chance <= kSurelyNoChance ? of_call : found;
  }

  // Does the same work, and could have been accused instead.
  bool is_peer(uint32_t actor) const {
    const std::vector<uint64_t>& role = inquiry_.roles.role;
    return inquiry_.possible[actor] != 0 && !is_of_set(actor) &&
           std::any_of(actors_.begin(), actors_.end(),
                       [&](uint32_t one) { return role[one] == role[actor]; });
  }

 private:
  Occasions collect(int64_t least_ns) {
    losses_.clear();
    trials_.clear();
    Occasions found;
    find_losses(least_ns, &found.all);
    if (trials_.size() < kFewestOccasions || lie_in_one_step(found.all)) return found;
    const Compared compared = compared_with();
    found.chance = chance(compared);
    found.beside_none = std::all_of(losses_.begin(), losses_.end(), [&](const PathLoss& loss) {
      return compared.set[loss.actor] != 0;
    });
    return found;
  }

  // Before which the set lost most, if that is much of all that it lost, but not all.
  bool look_at_worst_call() {
    std::map<uint64_t, int64_t> lost_ns;
    int64_t all_ns = 0;
    for (const PathPiece& piece : inquiry_.path) {
      if (!is_of_set(piece) || !follows(own_, piece)) continue;
      lost_ns[call_of(piece)] += piece.excess_ns;
      all_ns += piece.excess_ns;
    }
    const auto worst = std::max_element(
        lost_ns.begin(), lost_ns.end(),
        [](const auto& one, const auto& other) { return one.second < other.second; });
    if (lost_ns.size() < 2 || worst->second * kPartOfCall < all_ns) return false;
    call_ = worst->first;
    return true;
  }
  uint64_t call_of(const PathPiece& piece) const { return inquiry_.roles.call[piece.arrival]; }
  bool is_looked_at(const PathPiece& piece) const {
    return follows(own_, piece) && (!call_.has_value() || call_of(piece) == *call_);
  }

  bool is_of_set(uint32_t actor) const {
    return std::binary_search(actors_.begin(), actors_.end(), actor);
  }
  bool is_of_set(const PathPiece& piece) const {
    return is_of_set(own_.segments[piece.arrival].actor);
  }
  uint32_t trial_of(const PathPiece& piece) const {
    return inquiry_.excesses.trial[own_.segments[piece.arrival].launch];
  }

  int64_t typical_loss_ns() const {
    std::vector<int64_t> excesses;
    for (const PathPiece& piece : inquiry_.path) {
      if (is_of_set(piece) && piece.excess_ns > 0 && is_looked_at(piece))
        excesses.push_back(piece.excess_ns);
    }
    return half_of_sum(&excesses);
  }

  void find_losses(int64_t least_ns, std::vector<Occasion>* occasions) {
    const std::vector<PathPiece>& path = inquiry_.path;
    const Waiting waiting{run_, own_, path, inquiry_.begin_of, inquiry_.end_ns};
    for (size_t i = 0; i < path.size(); ++i) {
      const PathPiece& piece = path[i];
      if (piece.excess_ns < least_ns || !is_looked_at(piece)) continue;
      if (is_of_set(piece)) {
        const int64_t waited_ns = longest_caused_wait(waiting, actors_, i);
        if (waited_ns == 0) continue;
        occasions->push_back({piece.arrival, piece.excess_ns, waited_ns});
        trials_.insert(trial_of(piece));
      }
      losses_.push_back({i, own_.segments[piece.arrival].actor, piece.excess_ns});
    }
  }

  double chance(const Compared& compared) const {
    std::vector<uint32_t> trials, steps;
    for (const PathPiece& piece : inquiry_.path) {
      trials.push_back(trial_of(piece));
      steps.push_back(run_.matches[run_.arrivals[piece.arrival].match].step);
    }
    const double by_trials = chance_on_path(losses_, trials, compared);
    // Where what comes now and then, as an evaluation, was taken for the mark of a step, trials are too
    // long to tell: then the steps by periodicity are, unless the set is late in some of the trials only.
    const std::set<uint32_t> all(trials.begin(), trials.end());
    const auto covered = std::count_if(trials.begin(), trials.end(),
                                       [&](uint32_t trial) { return trials_.count(trial) != 0; });
    const bool too_long = all.size() < kFewTrials &&
                          static_cast<size_t>(covered) * 4 >= trials.size() * 3 &&
                          know_steps(losses_, steps);
    return too_long ? std::min(by_trials, chance_on_path(losses_, steps, compared)) : by_trials;
  }

  // Which call a training step begins with is not known, so that one step may reach into two trials.
  bool lie_in_one_step(const std::vector<Occasion>& occasions) const {
    uint32_t first = kNoRow, last = 0;  // launches, from the first of each rank on
    for (const Occasion& one : occasions) {
      const Segment& segment = own_.segments[one.arrival];
      const uint32_t place =
          segment.launch - own_.segments[own_.order[inquiry_.begin_of[segment.actor]]].launch;
      first = std::min(first, place);
      last = std::max(last, place);
    }
    return last - first < launches_in_step(actors_.front());
  }
  uint32_t launches_in_step(uint32_t actor) const {
    std::map<uint32_t, std::set<uint32_t>> launches;  // by trial
    for (size_t i = inquiry_.begin_of[actor]; i < inquiry_.begin_of[actor + 1]; ++i) {
      const uint32_t launch = own_.segments[own_.order[i]].launch;
      launches[inquiry_.excesses.trial[launch]].insert(launch);
    }
    std::vector<uint32_t> counts;
    for (const auto& [trial, all] : launches) counts.push_back(static_cast<uint32_t>(all.size()));
    return lower_median(&counts);
  }

  Compared compared_with() const {
    Compared compared;
    for (uint32_t actor = 0; actor < own_.actors.size(); ++actor) {
      compared.set.push_back(is_of_set(actor) ? 1 : 0);
      compared.peers.push_back(is_peer(actor) ? 1 : 0);
      compared.suspects += inquiry_.possible[actor];
    }
    compared.set_size = actors_.size();
    return compared;
  }

  const RunTables& run_;
  const OwnSegments& own_;
  const Inquiry& inquiry_;
  const std::vector<uint32_t>& actors_;
  std::optional<uint64_t> call_;  // only what is lost before such a call is looked at
  std::vector<PathLoss> losses_;  // of anybody
  std::set<uint32_t> trials_;     // those in which the set held the run up
};

}  // namespace

Occasions occasions_of(const Inquiry& inquiry, const std::vector<uint32_t>& actors) {
  return Collection(inquiry, actors).collect();
}

bool by_kernels(const RunTables& run, const std::vector<Occasion>& occasions) {
  return std::all_of(occasions.begin(), occasions.end(), [&](const Occasion& one) {
    return run.arrivals[one.arrival].basis == ArrivalBasis::KernelStart;
  });
}

bool has_peers(const Inquiry& inquiry, const std::vector<uint32_t>& actors) {
  const Collection set(inquiry, actors);
  for (uint32_t actor = 0; actor < inquiry.own.actors.size(); ++actor) {
    if (set.is_peer(actor)) return true;
  }
  return false;
}

}  // namespace lockstep::analysis
