#include "analysis/message_size.h"

namespace lockstep::analysis {
namespace {

// Of one element; 0 for names NCCL has no size for. The datatype texts are NCCL's own.
uint64_t datatype_bytes(const std::string& name) {
  struct Size {
    const char* name;
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

bool spans_ranks(const std::string& func) {
  return func == "AllGather" || func == "ReduceScatter" || func == "AlltoAll" || func == "Gather" ||
         func == "Scatter" || func == "AllGatherV";
}

}  // namespace

uint64_t message_bytes(const OperationRow& row, const StringPool& strings, int32_t nranks) {
  const uint64_t own = row.count * datatype_bytes(strings.text(row.datatype));
  return spans_ranks(strings.text(row.func)) && nranks > 1 ? own * static_cast<uint64_t>(nranks)
                                                           : own;
}

double busbw_factor(const std::string& func, int32_t nranks) {
  if (nranks < 2) return 1;
  const double n = nranks;
  if (func == "AllReduce") return 2 * (n - 1) / n;
  return spans_ranks(func) ? (n - 1) / n : 1;
}

}  // namespace lockstep::analysis
