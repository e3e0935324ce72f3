// Findings about hosts with too few processors, in place of those that would accuse their ranks: what was
// measured, and which operations came late for it. Pure; no I/O.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "analysis/judge/places.h"
#include "analysis/why/load_samples.h"
#include "analysis/why/why_late.h"

namespace lockstep::analysis {

class CrowdedHosts {
 public:
  // Both must outlive this.
  CrowdedHosts(const RunTables& run, const LoadSamples& samples);

  // A finding about lateness that `answer` says is the machine's.
  void add(const Finding& straggler, const LateAnswer& answer);
  // Collectives that take longer than expected; true where the threads that serve the network had no processor for as
  // long, on a host with too few: that is the machine's, too.
  bool add_slower(const Finding& slower);
  // Likewise transfers that only ends show to be slow, of ranks whose threads waited as the others there did.
  bool add_slow_path(const Finding& slow);
  // One for each host, by its name's place among the run's texts.
  std::vector<Finding> findings() const;

 private:
  struct Host {
    Finding finding;
    Evidence shortage;                // what there was too little of
    std::vector<Evidence> waited;     // one of each finding that was added
    std::vector<LateOperation> late;  // likewise
    std::set<uint32_t> serving;       // processes whose waiting is counted
  };

  void begin(Text name, Host* host) const;
  bool add_transfers(const Finding& slow, const std::vector<Place>& places, int64_t gain_ns,
                     double gain_share);

  const RunTables& run_;
  const LoadSamples& samples_;
  std::map<Text, Host> hosts_;
};

}  // namespace lockstep::analysis
