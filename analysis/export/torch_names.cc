#include "analysis/export/torch_names.h"

#include <cctype>
#include <map>

#include "analysis/tables/labels.h"

namespace lockstep::analysis {
namespace {

struct FunctionNames {
  const char *nccl, *kineto, *recorder;
};
constexpr FunctionNames kFunctions[] = {
    {"AllReduce", "allreduce", "all_reduce"},
    {"AllGather", "_allgather_base", "_all_gather_base"},
    {"ReduceScatter", "_reduce_scatter_base", "_reduce_scatter_base"},
    {"Broadcast", "broadcast", "broadcast"},
    {"Reduce", "reduce", "reduce"},
    {"AlltoAll", "all_to_all", "all_to_all"},
    {"AllToAll", "all_to_all", "all_to_all"},
    {"Gather", "gather", "gather"},
    {"Scatter", "scatter", "scatter"},
    {"Send", "send", "send"},
    {"Recv", "recv", "recv"},
};

struct TypeName {
  const char *nccl, *torch;
};
constexpr TypeName kTypes[] = {
    {"ncclInt8", "Char"},
    {"ncclUint8", "Byte"},
    {"ncclInt32", "Int"},
    {"ncclUint32", "UInt32"},
    {"ncclInt64", "Long"},
    {"ncclUint64", "UInt64"},
    {"ncclFloat16", "Half"},
    {"ncclFloat32", "Float"},
    {"ncclFloat64", "Double"},
    {"ncclBfloat16", "BFloat16"},
    {"ncclFloat8e4m3", "Float8_e4m3fn"},
    {"ncclFloat8e5m2", "Float8_e5m2"},
};

constexpr size_t kMostInEvents = 30;

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string name_in(const std::string& func, const char* FunctionNames::*tool) {
  for (const FunctionNames& names : kFunctions) {
    if (func == names.nccl) return names.*tool;
  }
  return lower(func);
}

// The rank in the job of every member that is known; of the others too where the communicator's
// ranks are the job's.
std::vector<int32_t> ranks_of(const RunTables& run, const CommunicatorRow& communicator) {
  std::map<int32_t, int32_t> job_rank;
  bool same = true;
  for (uint32_t i = 0; i < communicator.members; ++i) {
    const size_t row = communicator.first_member + i;
    if (row >= run.members.size() || run.members[row].process >= run.processes.size()) continue;
    const MemberRow& member = run.members[row];
    job_rank[member.rank] = run.processes[member.process].rank;
    same = same && member.rank == job_rank[member.rank];
  }
  std::vector<int32_t> ranks;
  for (int32_t rank = 0; rank < communicator.nranks; ++rank) {
    const auto found = job_rank.find(rank);
    if (found != job_rank.end() || same) ranks.push_back(same ? rank : found->second);
  }
  return ranks;
}

template <class Number>
std::string list_text(const std::vector<Number>& numbers, size_t most) {
  std::string text = "[";
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (numbers.size() > most && i + 1 == most) {
      text += ", ...";
      i = numbers.size() - 1;
    }
    if (i > 0) text += ", ";
    text += std::to_string(numbers[i]);
  }
  return text + "]";
}

}  // namespace

std::string kineto_collective(const std::string& func) {
  return name_in(func, &FunctionNames::kineto);
}

std::string recorder_collective(const std::string& func) {
  return name_in(func, &FunctionNames::recorder);
}

std::string torch_dtype(const std::string& datatype) {
  for (const TypeName& name : kTypes) {
    if (datatype == name.nccl) return name.torch;
  }
  return datatype;
}

std::string torch_list(const std::vector<uint64_t>& numbers) {
  return list_text(numbers, kMostInEvents);
}

ElementCounts element_counts(const RunTables& run, const OperationRow& operation) {
  const std::string& func = run.text(operation.func);
  const uint64_t count = operation.count;
  const uint64_t ranks =
      operation.communicator < run.communicators.size()
          ? static_cast<uint64_t>(run.communicators[operation.communicator].nranks)
          : 1;
  if (func == "AllGather") return {count, count * ranks};
  if (func == "ReduceScatter") return {count * ranks, count};
  if (func == "Recv") return {0, count};
  if (func == "Send") return {count, 0};
  if (operation.kind != OpKind::Assembled && (func == "AlltoAll" || func == "AllToAll"))
    return {count * ranks, count * ranks};
  return {count, count};
}

std::vector<TorchGroup> torch_groups(const RunTables& run) {
  std::vector<TorchGroup> groups;
  for (uint32_t i = 0; i < run.communicators.size(); ++i) {
    const CommunicatorRow& row = run.communicators[i];
    const std::vector<int32_t> ranks = ranks_of(run, row);
    groups.push_back({std::to_string(i), communicator_label(run, i), list_text(ranks, ranks.size()),
                      list_text(ranks, kMostInEvents), row.nranks});
  }
  return groups;
}

std::vector<std::string> rank_names(const RunTables& run) {
  std::map<int32_t, unsigned> uses;
  for (const ProcessRow& process : run.processes) ++uses[process.rank];
  std::vector<std::string> names;
  for (const ProcessRow& process : run.processes) {
    std::string name = std::to_string(process.rank);
    if (process.rank < 0 || uses[process.rank] > 1)
      name += "." + run.text(process.host) + "." + std::to_string(process.pid);
    names.push_back(name);
  }
  return names;
}

}  // namespace lockstep::analysis
