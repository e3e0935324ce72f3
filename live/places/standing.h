// Who a recording process is and which NCCL operation it stands in, from what its control socket says
// to `progress` (docs/control.md). A pure function; what the text lacks is not known.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::live {

struct Standing {
  int64_t rank = -1;  // in the communicator of the process that has the most ranks
  // "in AllReduce #20 on world, its kernel has begun", "in no operation; the last call was AllReduce
  // #19 on world"; empty: not known.
  std::string operation;
  int64_t called_ago_ns = 0;  // that operation
};

Standing standing_of(std::string_view progress);

}  // namespace lockstep::live
