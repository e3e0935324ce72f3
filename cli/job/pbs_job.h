// The hosts of a PBS job (OpenPBS, PBS Professional, Torque) and how a command gets to them: by the job's own pbsdsh, or
// by ssh where there is none. Called by `lockstep run`, one thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/job/child_process.h"

namespace lockstep::cli {

struct PbsHost {
  std::string name;
  size_t line = 0;  // its first in PBS_NODEFILE, from 0: pbsdsh numbers tasks' places so
};

// Each host once, in the file's order; what is no host's name is left out. Empty when it cannot be read.
std::vector<PbsHost> pbs_hosts(const std::string& node_file);

bool has_pbsdsh();

// Runs the command there. pbsdsh leaves its output to the job's, so the host itself adds it to this file, which
// all hosts see. pbsdsh gives neither the exit code of the command nor our environment: what lockstep
// and the choice of an interface need goes with it.
CommandLine on_pbs_host(const PbsHost& host, const CommandLine& command, const std::string& output);

}  // namespace lockstep::cli
