// What part of a run a command reads: a span of time, some ranks, one communicator. Resolved once
// into a span of each process's own clock, which ProcessReader takes. Any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/number_ranges.h"
#include "dumper/run/run_directory.h"
#include "lockstep/status.h"

namespace lockstep::dumper {

// CLOCK_MONOTONIC_RAW of a process's host, ends included.
struct RawSpan {
  uint64_t from_ns = 0, to_ns = ~uint64_t{0};
  bool is_whole() const { return from_ns == 0 && to_ns == ~uint64_t{0}; }
  SegmentReaderOptions options() const { return {true, from_ns, to_ns}; }
};

struct Instant {
  enum class Since { RunStart, Epoch };  // the run's first record; 1970, CLOCK_REALTIME
  Since since = Since::RunStart;
  int64_t ns = 0;
};

struct Selection {
  std::optional<int64_t> last_ns;  // before the run's last record
  std::optional<Instant> from, to;
  NumberRanges ranks;           // first and last, as `processes` numbers them
  std::string comm;             // its name, or its id as 0x...; empty: all
  std::optional<uint32_t> pid;  // only processes of this id
  // By ProcessEntry::uid, in place of last_ns, from and to: chosen already, where the files came from.
  // Processes that are not named are left out.
  std::optional<std::map<uint64_t, RawSpan>> chosen;

  bool has_span() const { return last_ns || from || to; }
  bool is_whole() const { return !has_span() && ranks.empty() && comm.empty() && !pid && !chosen; }
  bool wants_rank(int64_t rank) const;
  // Of a communicator by NCCL's id and its name.
  bool wants_comm(uint64_t id, const std::string& name) const;
};

// Takes the processes of other ranks out of the directory, as far as its files tell cheaply, and gives
// the span of each process that is left. Processes of one host get the same instants; hosts compare by
// their CLOCK_REALTIME. The error says that no process or no time is left, and what there is.
Result<std::vector<RawSpan>> select(const Selection& selection, RunDirectory* run);

}  // namespace lockstep::dumper
