// run.json in a run directory: what `lockstep run` knows and the recordings do not, for `lockstep
// runs`. Written when the program starts and again when it ends; a run that was killed keeps the
// first. Each write replaces the file at once.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "cli/job/new_run.h"

namespace lockstep::cli {

struct RunNote {
  std::string directory;
  JobFacts job;
  std::string command;
  std::string started;  // UTC
  std::string local;    // of --node-local: where each node records until it is collected
  std::string ended = {};
  std::optional<int> exit_code = {};

  // A failure is a sentence on stderr: the run goes on without.
  void write() const;
};

// The note's members, numbers as text; nothing for a run recorded without `lockstep run`.
std::map<std::string, std::string> read_run_note(const std::string& directory);
std::string local_of(const std::string& directory);

}  // namespace lockstep::cli
