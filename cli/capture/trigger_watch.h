// Watches a running job for a trigger: what all its processes have recorded since the look before is read
// from the run's folder, after they have written down what they have in memory. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/capture/trigger.h"
#include "live/asker/ask_all.h"

namespace lockstep::cli {

class TriggerWatch {
 public:
  TriggerWatch(std::string run, Trigger trigger);
  // A sentence on what has happened since the last look; the first look only begins.
  std::optional<std::string> look(const live::Targets& targets, const live::AskTerms& terms);

  // Whose records the last look did not see, and why.
  const std::vector<live::FailedHost>& not_seen() const { return not_seen_; }

 private:
  const std::string run_;
  const Trigger trigger_;
  std::vector<live::FailedHost> not_seen_;
  int64_t seen_until_ns_ = 0;  // on the run's axis; 0: not yet
};

// Sleeps; not at all for what is not positive.
void pause_ns(int64_t ns);

}  // namespace lockstep::cli
