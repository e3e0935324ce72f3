// Who wrote a segment: the Facts chunk at its beginning, JSON text. The plugin makes the text with
// facts_to_json() when the process starts (it is also kept in the arena for recovery); readers get
// it back with facts_from_json().
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lockstep/status.h"

namespace lockstep::dumper {

// One option in force, with where it came from: default, file, environment or preset.
struct OptionFact {
  std::string name, value, origin;
};
// A variable of the launcher that names the job or this process's place in it, for example
// SLURM_JOB_ID.
struct JobFact {
  std::string name, value;
};

struct ProcessFacts {
  std::string host, boot_id;
  uint32_t pid = 0;
  uint64_t process_start = 0;    // /proc/PID/stat field 22
  std::string command;           // first word of the command line, without its folder
  uint32_t abi_version = 0;      // of the bound profiler table, 0 = none yet
  uint64_t activation_mask = 0;  // the kinds recorded at its start
  std::string library_version;   // lockstep's
  // Who loaded the plugin: nccl or rccl, its version as ncclGetVersion gives it (23102 is 2.31.2, 0
  // not known), and the file it is in, empty when not known.
  std::string nccl_library, nccl_file;
  uint32_t nccl_version = 0;
  std::string driver_version;  // of the GPUs' kernel driver, empty when not known
  std::string tick_source;     // tsc, raw or counter
  std::string prometheus_dir;  // absolute folder of its Prometheus files, empty: none
  std::vector<JobFact> job;
  std::vector<OptionFact> options;
  std::string settings_digest;     // of the options; empty in segments of an earlier lockstep
  std::vector<std::string> notes;  // sentences: what was decided at the start, and why
};

// The same for processes whose options have the same names and values, wherever these come from, but for
// those that are each host's own: 16 hexadecimal digits.
std::string digest_of(const std::vector<OptionFact>& options);

std::string facts_to_json(const ProcessFacts& facts);
Result<ProcessFacts> facts_from_json(std::string_view text);
// facts_to_json()'s text with the driver's version, which is looked up later than the other facts; as it
// is where `version` is empty.
std::string with_driver_version(std::string facts, std::string_view version);

}  // namespace lockstep::dumper
