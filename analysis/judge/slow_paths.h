// The second half of the blame (blame.h): ranks whose sends take far longer in the network than everybody
// else's, and ranks whose proxy thread reacts far slower. Needs the network states of an operation
// (LOCKSTEP_EVENTS=step) for links, the posts and starts of network operations (the default) for
// proxies. Compares ranks of one communicator with each other, so a network that is slow for all is
// no finding here.
#pragma once

#include <vector>

#include "analysis/judge/evidence.h"
#include "analysis/judge/lateness.h"
#include "analysis/tables/run_tables.h"
#include "analysis/transfers/host_traffic.h"

namespace lockstep::analysis {

struct SlowPath {
  uint32_t communicator = kNoRow;
  Text func = 0;
  SlowColumn::Name column = SlowColumn::Name::Network;  // that shows it
  // The slowest first; several: on one host, whose way out is slow for all of them.
  std::vector<int32_t> ranks;
  // Rows of `members`: ranks of their host that are as slow on other communicators.
  std::vector<uint32_t> elsewhere;
  std::vector<uint32_t> processes;  // of all these
  double factor = 0;                // of the slowest, against the median of the other ranks
  int64_t typical_ns = 0;           // per operation, the fastest quarter
  int64_t others_ns = 0;            // the same of the others
  int64_t lost_ns = 0;              // over all operations; not known when it never waits
  uint64_t operations = 0;

  Cause cause() const {
    return column == SlowColumn::Name::Network ? Cause::NetworkSlow : Cause::ProxyStarved;
  }
  // Its network steps hardly ever wait, nor are they being sent, while all others' do.
  bool never_waits() const { return column == SlowColumn::Name::Waits; }
};

// One path at most for each process, the one that lost most, whatever the communicator. Operations
// a rank was itself late for are left out for that rank: its proxy thread then starts among busy
// ones.
std::vector<SlowPath> find_slow_paths(const RunTables& run, const std::vector<LateOperation>& late);

// Of sends that the network takes long for: whether they are slow also in proportion to what else leaves their host, or
// comes into the receiver's, at the same time. In an adapter that several ranks share they wait for each other's.
bool is_slow_in_proportion(const RunTables& run, const OwnSegments& own, const HostTraffic& traffic,
                           const SlowPath& path);

// The one host that all of its ranks send to over the network; 0: several, or it is not known.
Text receiving_host(const RunTables& run, const SlowPath& path);

// The column that shows it, against the others', and the operations of its slowest rank where it shows best.
std::vector<Evidence> evidence_of(const RunTables& run, const SlowPath& path);

}  // namespace lockstep::analysis
