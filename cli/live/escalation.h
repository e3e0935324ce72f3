// A hang whose network steps were not recorded: adds them for some seconds in the processes of the ranks
// that stand there, so that what they call meanwhile can be judged by them. The processes keep the
// time themselves and take the steps back, whatever becomes of the asker; each change is a note in the
// segment with the asker's name. NCCL records steps of operations that are called while they are
// wanted: one that stood still before shows none. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/judge/judge.h"
#include "analysis/tables/run_tables.h"
#include "cli/live/live_arguments.h"

namespace lockstep::cli {

using ProcessesOfHosts = std::map<std::string, std::vector<uint32_t>>;  // process ids, by host

// The processes that would have to record network steps for the verdict to say more; none where it
// says what is waited for, or where steps would not help.
ProcessesOfHosts processes_without_steps(const analysis::RunTables& run,
                                         const analysis::Judgement& judgement);

struct Escalation {
  int64_t seconds = 0;
  size_t processes = 0;              // that record steps for so long
  std::vector<std::string> refused;  // a sentence for each of the others
};

// Tells them, through their hosts' agents or this machine's control sockets. The error: nobody could be
// asked.
Result<Escalation> add_network_steps(const LiveArguments& arguments,
                                     const ProcessesOfHosts& processes, int64_t seconds);

// "Network steps were recorded for 10 s in 2 processes".
std::string in_words(const Escalation& escalation);

}  // namespace lockstep::cli
