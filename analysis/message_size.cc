#include "analysis/message_size.h"

#include "analysis/record_words.h"

namespace lockstep::analysis {
namespace {

bool spans_ranks(const std::string& func) {
  return func == "AllGather" || func == "ReduceScatter" || func == "AlltoAll" || func == "Gather" ||
         func == "Scatter" || func == "AllGatherV";
}

}  // namespace

uint64_t message_bytes(const OperationRow& row, const StringPool& strings, int32_t nranks) {
  const uint64_t own = row.count * datatype_bytes(strings.text(row.datatype).c_str());
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
