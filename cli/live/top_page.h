// The lines that `lockstep top` shows, from the answers to `ps` and `progress` of now and of the look
// before: who waits for whom, each communicator's rate and standings. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/live/standings.h"
#include "live/asker/ask_all.h"

namespace lockstep::cli {

struct TopLook {
  int64_t mono_ns = 0;  // when it was asked
  live::Answers processes, progress;
};

class TopPage {
 public:
  explicit TopPage(std::string run) : run_(std::move(run)) {}
  // The title first.
  std::vector<std::string> lines(const TopLook& look);

 private:
  struct Ended {
    uint64_t operations = 0, bytes = 0;
  };
  using EndedBy = std::map<std::string, Ended>;  // communicator, rank and process

  std::string rate_line(const CommStandings& comm, double seconds) const;

  std::string run_;
  EndedBy before_;
  int64_t before_ns_ = 0;
};

}  // namespace lockstep::cli
