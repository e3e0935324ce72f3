// How large an operation is, and what bandwidth that makes: the definitions of nccl-tests
// (doc/PERFORMANCE.md there), so that figures can be compared with theirs. size = bytes of the
// whole result or input: count * element for all-reduce, broadcast, reduce, send and receive;
// nranks * count * element for all-gather, reduce-scatter, all-to-all, gather and scatter. algbw =
// size / time. busbw = algbw * factor with factor 2(n-1)/n for all-reduce, (n-1)/n for all-gather,
// reduce-scatter, all-to-all, gather and scatter, 1 for the rest: what the slowest link carries,
// whatever the algorithm; 0 for a collective of one rank, which uses no link.
#pragma once

#include <cstdint>
#include <string_view>

namespace lockstep::dumper {

// Bytes of one element; 0 for names NCCL has no size for. The names are NCCL's own; it calls types
// without one (uint8) "Unknown".
uint64_t datatype_bytes(std::string_view name);

// Whether the result or input of the whole operation is nranks times what a rank passes.
bool spans_ranks(std::string_view func);

// 0 as well where the number of ranks is not known (0 or less).
double busbw_factor(std::string_view func, int64_t nranks);

}  // namespace lockstep::dumper
