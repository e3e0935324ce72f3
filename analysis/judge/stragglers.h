// Which ranks of a communicator, or whose whole host, are late beyond what befalls everybody. The
// last step of the blame (blame.h): chance and busy processors spread lateness over all ranks, so one of them
// is accused when it is late far more than each of the others is on average, more often than
// chance gives anybody, and enough to cost time.
#pragma once

#include <vector>

#include "analysis/judge/lateness.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

struct Straggler {
  std::vector<RankBlame*> ranks;  // the latest first; several: all on one host
  double surplus = 0;  // of its lateness, the part beyond the other ranks' average: 0.7 to 1
  uint64_t late = 0;   // sums over the ranks, as in RankBlame
  int64_t excess_ns = 0, typical_ns = 0, caused_wait_ns = 0;
  uint64_t passed_on = 0;
  int64_t passed_on_wait_ns = 0;
  bool whole_host = false;  // `ranks` are all that the host has in the communicator
};

// `ranks`: all of one communicator; those that are found get `accused`. span_ns: between its first
// and last operation. Hosts are judged first: ranks of a slow host share its lateness, so that none
// of them would stand out.
std::vector<Straggler> find_stragglers(const RunTables& run, const std::vector<RankBlame*>& ranks,
                                       const Excesses& excesses, int64_t span_ns);

}  // namespace lockstep::analysis
