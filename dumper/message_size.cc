#include "dumper/message_size.h"

namespace lockstep::dumper {

uint64_t datatype_bytes(std::string_view name) {
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

bool spans_ranks(std::string_view func) {
  return func == "AllGather" || func == "ReduceScatter" || func == "AlltoAll" || func == "Gather" ||
         func == "Scatter" || func == "AllGatherV";
}

double busbw_factor(std::string_view func, int64_t nranks) {
  const bool all_reduce = func == "AllReduce";
  if (!all_reduce && !spans_ranks(func)) return 1;
  if (nranks < 2) return 0;
  const auto n = static_cast<double>(nranks);
  return (all_reduce ? 2 : 1) * (n - 1) / n;
}

}  // namespace lockstep::dumper
