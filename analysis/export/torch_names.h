// What PyTorch's profiler and flight recorder call things that NCCL calls otherwise: functions,
// datatypes, process groups. Used by the kineto and flight-recorder exports, so that tools made for
// PyTorch's files find what they look for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/load/run.h"

namespace lockstep::analysis {

// "AllGather" -> "_allgather_base", as Kineto's "Collective name"; unknown ones in lower case.
std::string kineto_collective(const std::string& func);
// "AllGather" -> "_all_gather_base", as in the flight recorder's profiling_name.
std::string recorder_collective(const std::string& func);
// "ncclFloat32" -> "Float"; unknown ones unchanged.
std::string torch_dtype(const std::string& datatype);

// "[1, 2]"; beyond 30 the first 29 and the last, as PyTorch writes lists in events.
std::string torch_list(const std::vector<uint64_t>& numbers);

struct ElementCounts {
  uint64_t in = 0, out = 0;
};
// Elements of this rank's input and output, from NCCL's count and what the function does with it.
ElementCounts element_counts(const RunTables& run, const OperationRow& operation);

// A communicator as a process group: the name is its row number, which is the same on every rank
// and unique, as PyTorch's are; `ranks` are the ranks of the job that are known of it.
struct TorchGroup {
  std::string name, description;
  std::string ranks;       // "[0, 1]"
  std::string some_ranks;  // torch_list(), for events
  int32_t size = 0;
};
std::vector<TorchGroup> torch_groups(const RunTables& run);  // by communicator row

// What stands for the rank in the file name of each process: "3", or "3.HOST.PID" where two have
// one rank.
std::vector<std::string> rank_names(const RunTables& run);

}  // namespace lockstep::analysis
