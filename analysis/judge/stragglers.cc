#include "analysis/judge/stragglers.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

// Whether `late` of `all` late operations on a suspect with this share of the ranks are more than
// chance would give any of `suspects`: the binomial tail, times those that chance could have chosen
// (Bonferroni).
bool beyond_chance(uint64_t late, uint64_t all, double share, size_t suspects) {
  const double limit = 1e-3 / static_cast<double>(suspects);
  const auto n = static_cast<double>(all);
  double tail = 0;
  for (uint64_t k = late; k <= all; ++k) {
    const auto x = static_cast<double>(k);
    tail += std::exp(std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(n - x + 1) +
                     x * std::log(share) + (n - x) * std::log1p(-share));
    if (tail >= limit) return false;
  }
  return true;
}

// How much of what `ranks` ranks have is more than what as many of `others` have of the rest: 1
// when those have nothing, 0 when these have no more than they.
double surplus_of(double own, size_t ranks, double rest, size_t others) {
  if (own <= 0) return 0;
  return 1 - rest * static_cast<double>(ranks) / (own * static_cast<double>(others));
}

class Accuser {
 public:
  Accuser(const std::vector<RankBlame*>& ranks, const Excesses& excesses, int64_t span_ns)
      : ranks_(ranks), excesses_(excesses), span_ns_(span_ns) {}

  // Accuses suspects one by one, the latest first: who has been accused is no measure for the rest.
  // Hosts are accused only for several ranks.
  void accuse(std::vector<Straggler> suspects, bool hosts) {
    std::stable_sort(suspects.begin(), suspects.end(), [](const Straggler& a, const Straggler& b) {
      return a.excess_ns > b.excess_ns;
    });
    int64_t all_ns = 0;
    for (const Straggler& one : suspects) all_ns += one.excess_ns;
    for (Straggler& one : suspects) {
      if (one.excess_ns * 5 < all_ns) return;    // a trifle beside the others
      if (one.ranks.front()->accused) continue;  // with its host
      if (!is_late(&one, suspects.size()) || (hosts && !keep_late_ranks(&one))) continue;
      for (RankBlame* rank : one.ranks) rank->accused = true;
      found_.push_back(std::move(one));
    }
  }
  std::vector<Straggler> found() { return std::move(found_); }

  Straggler suspect(std::vector<RankBlame*> ranks) const {
    Straggler one;
    std::stable_sort(ranks.begin(), ranks.end(), [](const RankBlame* a, const RankBlame* b) {
      return a->excess_ns > b->excess_ns;
    });
    std::vector<int64_t> excesses;
    for (const RankBlame* rank : ranks) {
      one.late += rank->late;
      one.excess_ns += rank->excess_ns;
      one.caused_wait_ns += rank->caused_wait_ns;
      one.passed_on += rank->passed_on;
      one.passed_on_wait_ns += rank->passed_on_wait_ns;
      const auto& own = excesses_of(*rank);
      excesses.insert(excesses.end(), own.begin(), own.end());
    }
    one.typical_ns = median(&excesses);
    one.ranks = std::move(ranks);
    return one;
  }

 private:
  const std::vector<int64_t>& excesses_of(const RankBlame& rank) const {
    return excesses_.at({rank.communicator, rank.rank});
  }

  // False when only one remains: then its host is not what is slow.
  bool keep_late_ranks(Straggler* host) const {
    std::vector<RankBlame*> late = host->ranks;
    while (late.back()->excess_ns * 5 < late.front()->excess_ns) late.pop_back();
    const bool whole = late.size() == host->ranks.size();
    const double surplus = host->surplus;
    *host = suspect(std::move(late));
    host->surplus = surplus;
    host->whole_host = whole;
    return host->ranks.size() > 1;
  }

  bool is_late(Straggler* one, size_t suspects) const {
    constexpr double kLeastSurplus = 0.7;
    uint64_t as_late = 0;  // how often anybody left was as late as this one typically is: trifles
                           // of others count for nothing beside it
    size_t left = 0;
    double excess_ns = 0;
    for (const RankBlame* rank : ranks_) {
      if (rank->accused) continue;
      ++left;
      excess_ns += static_cast<double>(rank->excess_ns);
      for (const int64_t excess : excesses_of(*rank)) as_late += excess * 2 >= one->typical_ns;
    }
    const size_t own = one->ranks.size();
    as_late = std::max(as_late, one->late);
    if (one->late < 3 || left <= own || one->excess_ns * 100 < span_ns_) return false;
    // By time or by number: a few long pauses of another rank must not hide the one that is late
    // every time.
    const auto time_ns = static_cast<double>(one->excess_ns);
    const auto times = static_cast<double>(one->late);
    one->surplus =
        std::max(surplus_of(time_ns, own, excess_ns - time_ns, left - own),
                 surplus_of(times, own, static_cast<double>(as_late) - times, left - own));
    return one->surplus >= kLeastSurplus &&
           beyond_chance(one->late, as_late, static_cast<double>(own) / static_cast<double>(left),
                         suspects);
  }

  const std::vector<RankBlame*>& ranks_;
  const Excesses& excesses_;
  const int64_t span_ns_;
  std::vector<Straggler> found_;
};

}  // namespace

std::vector<Straggler> find_stragglers(const RunTables& run, const std::vector<RankBlame*>& ranks,
                                       const Excesses& excesses, int64_t span_ns) {
  Accuser accuser(ranks, excesses, span_ns);
  std::map<Text, std::vector<RankBlame*>> hosts;
  for (RankBlame* rank : ranks) hosts[run.processes[rank->process].host].push_back(rank);
  std::vector<Straggler> suspects;
  for (auto& [host, of_host] : hosts) suspects.push_back(accuser.suspect(of_host));
  accuser.accuse(std::move(suspects), true);

  suspects.clear();
  for (RankBlame* rank : ranks) suspects.push_back(accuser.suspect({rank}));
  accuser.accuse(std::move(suspects), false);
  return accuser.found();
}

}  // namespace lockstep::analysis
