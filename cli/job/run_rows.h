// What `lockstep runs` says of each run directory: from file headers, ledgers, run.json and the
// saved clock model; the records are not decoded. A directory that `lockstep run` made is a run even
// when the program recorded nothing.
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "live/follow/kept_headline.h"
#include "lockstep/status.h"

namespace lockstep::cli {

struct RunRow {
  std::string path, name, job;
  // ended, or what the first process is that has not; "nothing recorded" without segments,
  // "unreadable" when nothing in them can be read
  std::string state;
  std::string clock;  // one host, not aligned, or the grade of the worst host
  std::string command, started, ended, exit_code;          // of run.json; empty: not known
  std::vector<std::string> urls;                           // where it is served now
  std::optional<serve::KeptHeadline> headline;             // of whoever looked at it as it is
  uint64_t processes = 0, ranks = 0, bytes = 0, lost = 0;  // ranks: of the largest communicator
  std::time_t written = 0;  // the newest segment, or run.json when there is none
  bool running = false;
};

// Whether it is a run: it has segments, or `lockstep run` made it, or a process holds records for it in memory.
bool is_run_directory(const std::string& path);
Result<RunRow> run_row(const std::string& path);
// The runs under a folder by name; what is not a run is passed over.
Result<std::vector<RunRow>> run_rows(const std::string& parent);

// As `lockstep runs` prints them with --json: an object, an array of them.
std::string run_json(const RunRow& row);
std::string runs_json(const std::vector<RunRow>& rows);

}  // namespace lockstep::cli
