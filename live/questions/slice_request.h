// What the question `slice` takes and what its rows say, as JSON both ways: for the host that answers
// (slice_answer.h) and for the asker. Pure functions, any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dumper/run/kind_filter.h"
#include "dumper/run/selection.h"
#include "lockstep/status.h"

namespace lockstep::live {

struct SliceRequest {
  dumper::Selection selection;  // its spans, ranks and pid; of a communicator all chunks are needed
  uint64_t max_bytes = uint64_t{1} << 28;
  bool host_load = true;  // the host's samples too
  // Of processes that have none of these ranks, first and last, only their rows: nothing else is asked.
  std::optional<std::pair<int64_t, int64_t>> only_ranks;
  uint32_t kinds = dumper::kAllKinds;  // records of others are left out
  // Nothing is asked for that was recorded earlier or later, by the clock of a run of this one host. Not
  // kept to where the run has a model of its clocks.
  std::optional<int64_t> rows_from_ns, rows_to_ns;
};

std::string to_json(const SliceRequest& request);
Result<SliceRequest> parse_slice_request(const std::string& json);

// A process whose part was sent.
struct SliceRow {
  std::string host;
  uint32_t pid = 0;
  uint64_t uid = 0;
  dumper::RawSpan span;      // what was asked for, by the host's raw clock; more was sent
  uint64_t last_raw_ns = 0;  // of the whole recording's last record
  int64_t last_real_ns = 0;  // the same by CLOCK_REALTIME
  uint64_t bytes = 0;        // of its file; 0 where only_ranks left it out
  // With only_ranks: it has sends, receives or network work for others, so that its operations and
  // those of others belong together.
  bool has_shared = false;
};

// A JSON array.
std::string to_json(const std::vector<SliceRow>& rows);
// Objects that lack something are left out, and what ended before 1970.
std::vector<SliceRow> parse_slice_rows(const std::string& json);

// What an asker who has the parts in one directory selects in it. Hosts that `--last` made to begin at
// different times, since each knows only its own last record, begin together.
dumper::Selection selection_of(const SliceRequest& request, const std::vector<SliceRow>& rows);

}  // namespace lockstep::live
