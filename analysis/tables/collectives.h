// What the name of a collective says about who waits for whom. Pure function.
#pragma once

#include <string_view>

namespace lockstep::analysis {

// All ranks wait for all others, each for what all have sent: it ends on all of them within the time that it takes the
// last to come. `func` as NCCL names it. Not so those with a root, nor sends and receives.
inline bool ends_together(std::string_view func) {
  return func == "AllReduce" || func == "AllGather" || func == "ReduceScatter";
}

}  // namespace lockstep::analysis
