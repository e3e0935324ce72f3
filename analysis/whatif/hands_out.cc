#include "analysis/whatif/hands_out.h"

#include <algorithm>
#include <map>

namespace lockstep::analysis {
namespace {

// So much of the lateness lies in such broadcasts; who is late in more than this part of them is late as a rule.
constexpr double kMostOfLateness = 0.8, kNowAndThen = 0.5;

// Of one communicator: how many broadcasts there are, and how many of these one rank is the root of.
struct Broadcasts {
  uint64_t all = 0, own = 0, late = 0;
};

}  // namespace

bool may_have_had_no_work(const RunTables& run, const std::vector<Occasion>& occasions) {
  const Text broadcast = run.strings.find("Broadcast");
  std::map<uint32_t, Broadcasts> found;  // by communicator
  int64_t all_ns = 0, own_ns = 0;
  int32_t rank = -1;
  for (const Occasion& one : occasions) {
    const ArrivalRow& arrival = run.arrivals[one.arrival];
    const OperationRow& row = run.operations[arrival.operation];
    all_ns += one.excess_ns;
    if (row.func != broadcast || row.peer != arrival.rank) continue;
    own_ns += one.excess_ns;
    ++found[row.communicator].late;
    rank = arrival.rank;
  }
  if (static_cast<double>(own_ns) < kMostOfLateness * static_cast<double>(all_ns) ||
      found.size() != 1)
    return false;
  Broadcasts& here = found.begin()->second;
  for (const OperationRow& row : run.operations) {
    if (row.communicator != found.begin()->first || row.func != broadcast || row.rank != rank)
      continue;
    ++here.all;
    here.own += row.peer == rank ? 1 : 0;
  }
  return here.own == here.all &&
         static_cast<double>(here.late) <= kNowAndThen * static_cast<double>(here.own);
}

}  // namespace lockstep::analysis
