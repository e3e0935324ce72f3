// Which ranks of each communicator of a run were recorded, and whether all processes hang together,
// told from what every process says of its communicators. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dumper/segment/live_comms.h"

namespace lockstep::analysis {

class RecordedRanks {
 public:
  using Comms = std::map<uint32_t, dumper::CommFacts>;  // of LiveComms

  void add_process(const Comms& comms);

  // A sentence for each communicator that lacks some, naming them. Profiler tables v1 to v3 do not
  // tell how many ranks a communicator has; those are passed over.
  std::vector<std::string> missing() const;

  // Groups of processes none of which shares a communicator with a process of another group; those
  // without a communicator of several ranks are left out. More than one: several jobs in one
  // directory, or a job of parts that never meet.
  size_t groups() const;

 private:
  using Key = std::pair<uint64_t, uint32_t>;  // a communicator's id and size
  struct Communicator {
    std::string name;
    std::set<uint32_t> recorded;
    Key joined_to;  // a communicator of the same group, or itself; a chain that ends
  };

  Key root_of(Key key) const;

  std::map<Key, Communicator> communicators_;
};

}  // namespace lockstep::analysis
