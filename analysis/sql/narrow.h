// What a question can be answered from less than everything, found in DuckDB's own plan for it: a
// question about one table of each process's own, filtered by rank, needs only the processes that have
// such ranks, and one about events only the records that these are made of, from when they begin until
// they have ended. For asking hosts that send their parts (cli/live). Whatever is not recognised needs
// everything. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace lockstep::analysis {

struct NarrowQuestion {
  bool host_load = true;  // a table of the hosts' samples is named
  // First and last rank, in their communicators, of the rows that count; of all where it is empty.
  std::optional<std::pair<int64_t, int64_t>> ranks;
  // Of the records that the rows are made of, as bits of Kind.
  uint32_t kinds = ~uint32_t{0};
  // Of rows that begin earlier, by the run's clock, none counts.
  std::optional<int64_t> from_ns;
  // Of rows that end later, or not at all, none counts. What begins before an instant may end after it, so
  // that only a condition on ends says so.
  std::optional<int64_t> to_ns;
  // With `ranks`, `kinds`, `from_ns` or `to_ns`: the answer has times, which several hosts on one clock make together.
  bool has_times = false;
  // With `ranks`: the rows are operations, which sends, receives and proxies of other processes change.
  bool is_of_operations = false;
};

// Of all that will be asked. Without DuckDB everything is needed.
NarrowQuestion narrow_question(const std::string& statements);

}  // namespace lockstep::analysis
