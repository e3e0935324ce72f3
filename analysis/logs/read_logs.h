// A job's logs as instants of the run: the lines of text files whose time stamps (log_time.h) lie in it. They are placed by
// CLOCK_REALTIME of the first process's host, so no better than the hosts' wall clocks agree. Memory for the
// lines kept only; errors and warnings before others. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/tables/run_tables.h"
#include "lockstep/status.h"

namespace lockstep::analysis {

constexpr int64_t kLogMarginNs = 60'000'000'000;

struct LogOptions {
  std::vector<std::string> patterns;  // as a shell's
  std::optional<int64_t>
      zone_s;                  // of stamps that have none, east of Greenwich; none: this machine's
  size_t most_lines = 20'000;  // kept
  int64_t margin_ns = kLogMarginNs;  // before the first record and after the last
  bool skip_unreadable = false;      // a file that cannot be read is a note, no error
};

// Fills run->log_lines, and run->log_notes with what a reader must know of them: how many lines of which files,
// which zone was assumed, what was left out. A pattern that names no file is an error, as is a file that
// cannot be read.
Status read_logs(const LogOptions& options, RunTables* run);

// The files in RUN/logs, which are shown without being asked for.
std::string logs_folder(const std::string& run_directory);
// A pattern for each of them.
std::vector<std::string> own_logs(const std::string& run_directory);
// Reads these, for who shows the run whatever becomes of its logs: what is wrong with one is a note.
void add_own_logs(const std::string& run_directory, int64_t margin_ns, RunTables* run);

// Of "+01:00", "-0330" or "UTC": seconds east of Greenwich.
std::optional<int64_t> zone_of(const std::string& text);

}  // namespace lockstep::analysis
