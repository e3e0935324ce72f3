// Operations one by one as the page draws them: rows of /api/ops (docs/viewer-api.md), and of what a page without a server
// has of them. Pure function of the tables; any thread.
#pragma once

#include "analysis/pyramid/run_time.h"
#include "analysis/tables/run_tables.h"

namespace lockstep {
class JsonFields;
}

namespace lockstep::analysis {

// An element of an array; null for kNoTime: not known.
void put_known(int64_t value, JsonFields* out);

class OperationLines {
 public:
  OperationLines(const RunTables& run, const RunTime& time) : run_(run), time_(time) {}

  // The array "columns".
  static void put_columns(JsonFields* out);
  // An element of the array "rows". `arrival`: its row in `arrivals`; kNoRow: it has none.
  void put(uint32_t operation, uint32_t arrival, JsonFields* out) const;

 private:
  int64_t last_rank(const ArrivalRow& row) const;

  const RunTables& run_;
  const RunTime& time_;
};

}  // namespace lockstep::analysis
