#include "analysis/paths/within_clocks.h"

#include <algorithm>
#include <map>

#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

// So many of an excess's operations are asked.
constexpr size_t kAsked = 32;

// A process's clock against that of the rank that came last; kNoTime: it takes no part.
int64_t error_to_last_ns(const RunTables& run, const MatchRow& match, uint32_t process) {
  for (uint32_t a = match.first_arrival; a < match.first_arrival + match.arrivals; ++a) {
    if (run.operations[run.arrivals[a].operation].process == process)
      return run.arrivals[a].clock_error_ns;
  }
  return kNoTime;
}

// How far apart both may be, usually: each is held against who came last. Twice that, where what is usual is as far off
// the other way. 0: they are on one host, or share a clock.
int64_t usual_error_ns(const RunTables& run, const OwnSegments& own, const TransferExcess& one) {
  const uint32_t from = own.actors[one.actors.front()].process;
  const uint32_t to = own.actors[one.actors.back()].process;
  if (run.processes[from].host == run.processes[to].host) return 0;
  std::vector<int64_t> errors;
  for (size_t i = 0; i < one.matches.size(); i += 1 + one.matches.size() / kAsked) {
    const MatchRow& match = run.matches[one.matches[i]];
    const int64_t from_ns = error_to_last_ns(run, match, from);
    const int64_t to_ns = error_to_last_ns(run, match, to);
    if (from_ns != kNoTime && to_ns != kNoTime) errors.push_back(from_ns + to_ns);
  }
  return errors.empty() ? 0 : median(&errors) * (one.usual_across ? 2 : 1);
}

}  // namespace

std::vector<WithinClocks> leave_out_within_clocks(const RunTables& run, const OwnSegments& own,
                                                  std::vector<TransferExcess>* excesses) {
  std::map<uint32_t, WithinClocks> left_out;  // by communicator
  const auto is_within = [&](const TransferExcess& one) {
    if (one.across_ns == 0) return false;
    const int64_t error_ns = usual_error_ns(run, own, one);
    if (one.across_ns > error_ns) return false;
    WithinClocks& worst = left_out[one.communicator];
    if (worst.communicator == kNoRow || all_ns(one) > worst.all_ns)
      worst = {one.communicator, all_ns(one), one.across_ns, error_ns};
    return true;
  };
  excesses->erase(std::remove_if(excesses->begin(), excesses->end(), is_within), excesses->end());
  std::vector<WithinClocks> all;
  for (const auto& [communicator, worst] : left_out) all.push_back(worst);
  return all;
}

}  // namespace lockstep::analysis
