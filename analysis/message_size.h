// How large an operation is, and what bandwidth that makes: the definitions of nccl-tests
// (doc/PERFORMANCE.md there), so that figures can be compared with theirs. size = bytes of the
// whole result or input: count * element for all-reduce, broadcast, reduce, send and receive;
// nranks * count * element for all-gather, reduce-scatter, all-to-all, gather and scatter. algbw =
// size / time. busbw = algbw * factor with factor 2(n-1)/n for all-reduce, (n-1)/n for all-gather,
// reduce-scatter, all-to-all, gather and scatter, 1 for the rest: what the slowest link carries,
// whatever the algorithm.
#pragma once

#include <string>

#include "analysis/tables.h"

namespace lockstep::analysis {

// From count and datatype of the same event: a launch event may count bytes (ncclInt8) where the
// call counted elements (hazard 34), and either product is right.
uint64_t message_bytes(const OperationRow& row, const StringPool& strings, int32_t nranks);

double busbw_factor(const std::string& func, int32_t nranks);

}  // namespace lockstep::analysis
