// How even the ranks of each communicator are: what each rank did, and each metric's least, median and most over
// them. A rank is far from the others when it is more than 5 robust deviations (1.4826 times the median distance
// from the median) and a tenth of the median away, and for times 1 % of the median time in operations. Linear in
// the operations.
#pragma once

#include <string>
#include <vector>

#include "analysis/judge/judge.h"
#include "analysis/report/report_data.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

struct RankMetric {
  const char *name, *unit;
  double (*value)(const RankRow&);
  std::string (*print)(double);
  bool is_time;
};
const std::vector<RankMetric>& rank_metrics();

// Of one metric over all ranks.
struct RankSpread {
  double least = 0, middle = 0, most = 0, deviation = 0, negligible = 0;
  int32_t least_rank = -1, most_rank = -1;
  bool is_far(double value) const;
};
// One for each metric; `ranks` has some.
std::vector<RankSpread> spreads_over(const std::vector<RankRow>& ranks);

// Of every communicator on which operations were called, that with most of them first.
std::vector<CommRanks> ranks_of_communicators(const RunTables& run,
                                              const std::vector<RankBlame>& blames);

SaidTable spread_table(const std::vector<CommRanks>& communicators);
std::string report_spread_csv(const Report& report);

}  // namespace lockstep::analysis
