// One operation of one rank as a slice: when it began and ended for a viewer, and what is noted on
// it. Used by the timeline and its exporters.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/export/timeline_sink.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

struct OperationSpan {
  int64_t start_ns = kNoTime, stop_ns = kNoTime;  // stop: kNoTime = open at the recording's end
};

// The first and the last record of the run; 0 and 0 when nothing was recorded.
OperationSpan bounds_of(const RunTables& run);

class OperationSpans {
 public:
  explicit OperationSpans(const RunTables& run);

  // Start is kNoTime only when nothing at all is known of its time. An operation that was aborted
  // ends with its communicator, or with its process: it hung until then.
  OperationSpan of(const OperationRow& operation) const;

 private:
  int64_t aborted_ns(const OperationRow& operation) const;

  const RunTables& run_;
  std::map<std::pair<uint32_t, uint32_t>, int64_t> finalize_ns_;  // by communicator and process
};

class OperationNotes {
 public:
  OperationNotes(const RunTables& run, const OperationSpans& spans);

  // Valid until the next call.
  const std::vector<SliceNote>& of(uint32_t operation);
  uint64_t flow_of(uint32_t operation) const;  // 0 = matched with no other rank
  bool ends_flow(uint32_t operation) const;    // the last of its match to join it
  // When data came, not before the send began: of a receive that was matched and ended; else
  // kNoTime. Its flow comes there, from the send, although the receive is often posted first.
  int64_t transfer_start_ns(uint32_t operation) const;

 private:
  int64_t joins_flow_ns(uint32_t operation) const;

  const RunTables& run_;
  const OperationSpans& spans_;
  const Text receive_;
  std::vector<int64_t> sent_ns_;      // by match: just after its send began
  std::vector<uint32_t> arrival_of_;  // by operation
  std::vector<uint32_t> last_of_;     // by match: the operation that joins its flow last
  std::vector<SliceNote> notes_;
  std::string comm_;
};

}  // namespace lockstep::analysis
