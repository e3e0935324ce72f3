#include "analysis/chance/chance.h"

#include <algorithm>
#include <cmath>

namespace lockstep::analysis {
namespace {

// Probability that at least `own` of `all` occasions fall on a set with this share of the ranks.
double binomial_tail(size_t own, size_t all, double share) {
  const auto n = static_cast<double>(all);
  double tail = 0;
  for (size_t k = own; k <= all; ++k) {
    const auto x = static_cast<double>(k);
    tail += std::exp(std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(n - x + 1) +
                     x * std::log(share) + (n - x) * std::log1p(-share));
  }
  return std::min(1.0, tail);
}

}  // namespace

double chance_of(const std::vector<TrialLoss>& trials, double share) {
  size_t own = 0, others = 0, won = 0, lost = 0;
  for (const TrialLoss& trial : trials) {
    own += trial.own_ns != 0 ? 1 : 0;
    others += trial.others_ns != 0 ? 1 : 0;
    won += trial.own_ns > trial.others_ns ? 1 : 0;
    lost += trial.others_ns != 0 && trial.others_ns >= trial.own_ns ? 1 : 0;
  }
  // Where noise holds every trial up more than once, those of the set and those of the others are all of
  // them, which half and half is no sign of anything: so a trial must also tell by who lost most in it.
  const double tail =
      std::max(binomial_tail(own, own + others, share), binomial_tail(won, won + lost, share));
  // As many as could have been accused instead.
  return std::min(1.0, tail * std::max(1.0, 1 / share));
}

}  // namespace lockstep::analysis
