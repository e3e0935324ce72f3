// Turns what killed processes left in their arenas into segments of the run directory, so that
// nothing recorded before a SIGKILL is lost. Called by `lockstep recover`, by the SLURM epilog and
// by any lockstep process of the job that starts later; never on NCCL's threads. Writes only what
// the segments do not hold yet and then removes the arena, so it may be run again, interrupted, or
// run twice at once. Leaves living processes, other hosts and other users alone, root's included:
// root's files in a user's directory would be of no use to the user. Throws nothing.
#pragma once

#include <string>
#include <vector>

#include "lockstep/status.h"

namespace lockstep::dumper {

struct RecoveredProcess {
  enum class Outcome {
    Recovered,    // a segment was written
    NothingLeft,  // everything was in the segments already
    Running,      // left alone
    Elsewhere,    // of another host: recover there
    Unclaimed,    // it names the directory, which holds nothing of it: an earlier run's, left alone
    Failed,
  };
  Outcome outcome = Outcome::Failed;
  std::string arena;  // path of its file
  std::string host;
  uint32_t pid = 0;
  uint64_t records = 0;      // written now
  uint64_t in_progress = 0;  // calls entered and not recorded when it died
  std::string segment;       // path of the segment written
  std::string sentence;      // for people, always set
};

// One arena into its run directory. A file that is gone by now was recovered by somebody else.
RecoveredProcess recover_arena(const std::string& path, const std::string& directory);

// One entry per arena that belongs to the run, or that names its directory. An arena belongs to the
// run that holds its *.arena entry or segments of its process, because a run that was removed and
// recorded again has the same name. In a directory with neither entries nor segments, or that is
// not there, nothing can be mixed up: there the name is enough. Control sockets of the run's dead
// processes go as well, and Prometheus files that have outlived theirs for long enough. The error is
// for a directory that cannot be read.
Result<std::vector<RecoveredProcess>> recover_run(const std::string& directory);
// The same before the run's files go elsewhere, which they may only when no process writes them any more:
// the error names one that still runs, or whose records could not be recovered.
Status recover_ended_run(const std::string& directory);
// Every arena of this user on this host, each into the run directory that it names. A directory
// that is gone is not made again: somebody removed it.
std::vector<RecoveredProcess> recover_all();

}  // namespace lockstep::dumper
