// Whether NCCL's calls are those that were asked for. NCCL 2.32 lets whoever reaches a job's RAS port
// put another mask in force in all of its processes (CONTROL PROFILER_MASK), and does not tell the
// plugin. It shows: kinds that were asked for and always came with others stop coming while the
// others go on, or kinds come that nobody asked for. Fed with a process's records in any order; memory
// is bounded.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dumper/segment/ledger.h"
#include "dumper/segment/process_facts.h"
#include "lockstep/event.h"

namespace lockstep::analysis {

class WithheldKinds {
 public:
  // One record; those that are no start return at once.
  void see(const uint64_t* words);

  // Sentences on kinds that stopped coming: the recording lacks them. None where the process itself
  // was told to record others, which its notes say.
  std::vector<std::string> withheld(const dumper::ProcessFacts& facts,
                                    const dumper::Ledger& ledger) const;
  // And on calls of kinds that were not asked for.
  std::vector<std::string> uncalled_for(const dumper::ProcessFacts& facts,
                                        const dumper::Ledger& ledger) const;

 private:
  static constexpr size_t kEnough = 200;  // starts before and after; less may be chance
  struct Seen {
    uint64_t starts = 0, last_ticks = 0;
    std::array<uint64_t, kEnough> latest_ticks{};  // a ring
  };
  using Comm = std::array<Seen, 4>;  // by place_of() a kind

  static size_t place_of(Kind kind);
  static bool stopped(const Comm& comm, Kind kind, Kind with);

  std::map<uint32_t, Comm> comms_;
};

}  // namespace lockstep::analysis
