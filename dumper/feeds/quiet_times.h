// After how long without news an operation counts as ended where NCCL does not say so: it need not tell how
// many channels an operation has, nor that nothing more will come.
#pragma once

#include <cstdint>


namespace lockstep::dumper {

constexpr uint64_t kMs = 1000000;  // in nanoseconds
// Where the number of channels is not known: after this long without news all have been seen.
constexpr uint64_t kLastChannelNs = 100 * kMs;
// Proxy operations of CollNet and of copies by the GPU never stop; where a kernel is done, this
// long without news means that these ended as well.
constexpr uint64_t kNeverStopsNs = 1000 * kMs;
// Where all proxy operations ended and no channel was seen: after this long none will be.
constexpr uint64_t kNoKernelNs = 5000 * kMs;

}  // namespace lockstep::dumper
