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

namespace lockstep {

// Bytes of one element; 0 for names NCCL has no size for. The names are NCCL's own; it calls types
// without one (uint8) "Unknown".
constexpr uint64_t datatype_bytes(std::string_view name) {
  struct Size {
    std::string_view name;
    uint64_t bytes;
  };
  constexpr Size kSizes[] = {{"ncclInt8", 1},     {"ncclUint8", 1},      {"ncclInt32", 4},
                             {"ncclUint32", 4},   {"ncclInt64", 8},      {"ncclUint64", 8},
                             {"ncclFloat16", 2},  {"ncclFloat32", 4},    {"ncclFloat64", 8},
                             {"ncclBfloat16", 2}, {"ncclFloat8e4m3", 1}, {"ncclFloat8e5m2", 1},
                             {"Unknown", 1}};
  for (const Size& size : kSizes) {
    if (name == size.name) return size.bytes;
  }
  return 0;
}

// Whether the result or input of the whole operation is nranks times what a rank passes.
constexpr bool spans_ranks(std::string_view func) {
  return func == "AllGather" || func == "ReduceScatter" || func == "AlltoAll" || func == "Gather" ||
         func == "Scatter" || func == "AllGatherV";
}

// 0 as well where the number of ranks is not known (0 or less).
constexpr double busbw_factor(std::string_view func, int64_t nranks) {
  const bool all_reduce = func == "AllReduce";
  if (!all_reduce && !spans_ranks(func)) return 1;
  if (nranks < 2) return 0;
  const auto n = static_cast<double>(nranks);
  return (all_reduce ? 2 : 1) * (n - 1) / n;
}

}  // namespace lockstep
