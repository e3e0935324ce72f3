// One operation of one rank as a slice: when it began and ended for a viewer, and what is noted on
// it. Used by timeline.cc only.
#pragma once

#include <string>
#include <vector>

#include "analysis/export/timeline_sink.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

struct OperationSpan {
  int64_t start_ns = kNoTime, stop_ns = kNoTime;  // stop: kNoTime = open at the recording's end
};
// Start is kNoTime only when nothing at all is known of its time.
OperationSpan span_of(const OperationRow& operation);

class OperationNotes {
 public:
  explicit OperationNotes(const RunTables& run);

  // Valid until the next call.
  const std::vector<SliceNote>& of(uint32_t operation);
  uint64_t flow_of(uint32_t operation) const;  // 0 = matched with no other rank
  bool ends_flow(uint32_t operation) const;    // the last of its match to finish

 private:
  const RunTables& run_;
  std::vector<uint32_t> arrival_of_;  // by operation
  std::vector<uint32_t> last_of_;     // by match: the operation that starts last
  std::vector<SliceNote> notes_;
  std::string comm_;
};

}  // namespace lockstep::analysis
