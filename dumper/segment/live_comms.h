// The communicators a process has, kept from COMM_* records: what a Comms chunk says, so that a
// segment stands alone when the earlier ones were deleted. Owned by SegmentWriter; readers use the
// same type to know communicators.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/event.h"
#include "lockstep/status.h"

namespace lockstep::dumper {

struct CommFacts {
  uint32_t comm = 0;  // number in its process
  uint64_t id = 0;    // commId (v4 and up) or commHash; the same in all ranks
  std::string name;
  uint32_t rank = 0, ranks = 0, nodes = 0;
  uint32_t abi_version = 0;
  uint64_t init_ticks = 0;
  uint64_t finalize_ticks = 0;  // 0 = not finalized yet
};

class LiveComms {
 public:
  using Names = std::vector<std::pair<uint32_t, std::string>>;
  // The number of the string that a COMM_* record calls its communicator; kNullString for none.
  static unsigned name_in(const uint64_t* words);
  // One COMM_* record; `names` holds the texts of the strings it uses.
  void apply(const uint64_t* words, const Names& names);
  // Takes over what a Comms chunk says about communicators not seen yet.
  Status merge_json(std::string_view text);
  // Those not finalized.
  std::string to_json() const;
  void forget_finalized();
  const std::map<uint32_t, CommFacts>& all() const { return comms_; }

 private:
  std::map<uint32_t, CommFacts> comms_;
};

}  // namespace lockstep::dumper
