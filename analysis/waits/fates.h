// What became of each process, as far as a hang goes: who cannot go on by itself, and of whom nothing
// can be said because its recording does not reach as far as the others'. Built once by the wait
// graph; then only read.
#pragma once

#include <vector>

#include "analysis/tables/run_tables.h"
#include "analysis/waits/actors.h"
#include "analysis/waits/heads.h"

namespace lockstep::analysis {

enum class Fate : uint8_t {
  Sound,    // what its recording says of it holds to the end
  Dead,     // its process is gone while others still ran
  Stopped,  // its process is stopped by a signal
  Silent,  // its last sign of life, or its host's, is far older than the others', and it waited for nobody
  Behind,  // others ended an operation that needs it and that its recording does not hold
};

class Fates {
 public:
  Fates(const RunTables& run, const Actors& actors, const Heads& heads);

  Fate of(uint32_t process) const { return fates_[process]; }
  // It does nothing any more, while others do.
  bool is_gone(uint32_t process) const {
    const Fate fate = fates_[process];
    return fate == Fate::Dead || fate == Fate::Stopped || fate == Fate::Silent;
  }
  // It died after it had stood in an operation: ended by a watchdog, no cause.
  bool killed_waiting(uint32_t process) const { return waited_[process]; }
  // How much older its last sign of life is than the others'; kNoTime = nobody else's tells.
  int64_t silent_ns(uint32_t process) const;
  // The last operation that ended without any record of a process that is Behind.
  uint32_t ended_without(uint32_t process) const { return ended_without_[process]; }

 private:
  bool waited(uint32_t actor) const;
  int64_t quiet_longer_ns(uint32_t process) const;
  bool outlived(uint32_t process) const;
  bool lost_with_its_host(uint32_t process) const;
  Fate fate_of(uint32_t process) const;
  void find_behind();
  void note_absent(const MatchRow& match, const OperationRow& ended, uint32_t row);
  bool needs_everybody(const OperationRow& row) const;

  const RunTables& run_;
  const Actors& actors_;
  const Heads& heads_;
  std::vector<Fate> fates_;
  std::vector<bool> waited_;
  std::vector<uint32_t> ended_without_;  // rows of `operations`
};

}  // namespace lockstep::analysis
