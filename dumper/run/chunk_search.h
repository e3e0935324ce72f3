// Where in a process's segments a span of time lies, found by looking at a few chunks: segments have
// no index, but the last anchor of a Records chunk (docs/format.md) never lies before that of a chunk
// written earlier, nor before any record of its own. So chunks up to one whose last anchor lies
// before an instant hold nothing at or after it, and bisection is exact. Reads a few MiB however
// long the recording is. Any thread; damage costs precision, never records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "dumper/run/run_directory.h"
#include "dumper/segment/ledger.h"

namespace lockstep::dumper {

// The chunks of segments before ProcessEntry::segments[segment], and those of that segment that begin
// before `offset`, hold no record at or after the instant asked for.
struct ChunkPlace {
  size_t segment = 0;
  uint64_t offset = 0;
};
// Among segments[first_segment] and later.
ChunkPlace find_place(const ProcessEntry& process, size_t first_segment, uint64_t from_raw_ns);

// When the first and the last record of a process were made, and what CLOCK_REALTIME was then ahead of
// CLOCK_MONOTONIC_RAW.
struct ProcessSpan {
  uint64_t first_raw_ns = 0, last_raw_ns = 0;
  int64_t first_real_offset_ns = 0, last_real_offset_ns = 0;
};
// Empty for a process without a record.
std::optional<ProcessSpan> span_of(const ProcessEntry& process);

// What the end of its last segment says of the process: the last ledger, as far as it lies in the last
// few MiB.
struct LastTotals {
  std::optional<Ledger> ledger;
  bool ended = false;  // it is that of an End chunk
};
LastTotals last_totals(const ProcessEntry& process);

}  // namespace lockstep::dumper
