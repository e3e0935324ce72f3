#include "analysis/relate/communicators.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "analysis/relate/split_tree.h"

namespace lockstep::analysis {
namespace {

struct Draft {
  std::vector<const CommInstance*> ranks;  // by rank, null = not recorded
  std::vector<const CommInstance*> rankless;
};

constexpr int32_t kMostRanks = 1 << 22;  // a damaged record may say anything

bool place(Draft* draft, const CommInstance* instance) {
  const int32_t rank = instance->comm.rank;
  if (rank < 0 || rank >= kMostRanks) {
    draft->rankless.push_back(instance);
    return true;
  }
  const auto at = static_cast<size_t>(rank);
  if (draft->ranks.size() <= at) draft->ranks.resize(at + 1);
  if (draft->ranks[at] != nullptr) return false;
  draft->ranks[at] = instance;
  return true;
}

uint64_t mix(uint64_t digest, uint64_t value) {
  digest = (digest ^ value) * 0x9e3779b97f4a7c15ULL;
  return digest ^ digest >> 29;
}

void emit(const Draft& draft, uint32_t incarnation, RunTables* run) {
  CommunicatorRow row;
  row.incarnation = incarnation;
  row.first_member = static_cast<uint32_t>(run->members.size());
  const auto add = [&](const CommInstance* instance) {
    const JoinedComm& comm = instance->comm;
    row.comm_id = comm.comm_id;
    row.nranks = std::max(row.nranks, comm.nranks);
    row.nnodes = std::max(row.nnodes, comm.nnodes);
    if (comm.name != 0) row.name = comm.name;
    row.member_digest = mix(mix(row.member_digest, static_cast<uint64_t>(comm.rank)),
                            run->processes[instance->process].uid);
    MemberRow member;
    member.communicator = static_cast<uint32_t>(run->communicators.size());
    member.process = instance->process;
    member.number = comm.number;
    member.rank = comm.rank;
    member.init_ns = comm.init_ns;
    member.finalize_ns = comm.finalize_ns;
    member.gpu = comm.gpu;
    run->members.push_back(member);
  };
  for (const CommInstance* instance : draft.ranks) {
    if (instance != nullptr) add(instance);
  }
  for (const CommInstance* instance : draft.rankless) add(instance);
  row.members = static_cast<uint32_t>(run->members.size()) - row.first_member;
  run->communicators.push_back(row);
}

void note_shared_names(std::vector<CommunicatorRow>* communicators) {
  std::map<Text, std::set<uint64_t>> ids;
  for (const CommunicatorRow& row : *communicators) ids[row.name].insert(row.comm_id);
  for (CommunicatorRow& row : *communicators)
    row.shares_name = row.name != 0 && ids[row.name].size() > 1;
}

// A parent began before its children, so its row is before theirs.
void note_parents(const std::vector<CommInstance>& instances, RunTables* run) {
  std::map<uint32_t, std::vector<SplitComm>> comms;  // by process
  for (const CommInstance& one : instances) {
    const JoinedComm& comm = one.comm;
    comms[one.process].push_back(
        {comm.comm_id, comm.number, static_cast<uint32_t>(std::max(0, comm.nranks))});
  }
  SplitTree tree;
  for (const auto& [process, of_process] : comms) tree.add(of_process);
  std::map<uint64_t, uint32_t> rows;  // by id, the latest so far
  for (uint32_t c = 0; c < run->communicators.size(); ++c) {
    CommunicatorRow& row = run->communicators[c];
    const auto split = tree.splits().find(row.comm_id);
    const auto parent =
        split == tree.splits().end() ? rows.end() : rows.find(split->second.parent_id);
    if (parent != rows.end()) {
      row.parent = parent->second;
      row.split_number = split->second.number;
      row.split_color = split->second.color;
    }
    rows[row.comm_id] = c;
  }
}

}  // namespace

void unite_communicators(std::vector<CommInstance> instances, RunTables* run) {
  std::stable_sort(instances.begin(), instances.end(),
                   [](const CommInstance& a, const CommInstance& b) {
                     return a.comm.init_real_ns < b.comm.init_real_ns;
                   });
  using Key = std::tuple<uint64_t, uint64_t, int32_t>;
  std::map<Key, std::vector<Draft>> drafts;
  std::vector<Key> order;  // by first init
  for (const CommInstance& instance : instances) {
    const JoinedComm& comm = instance.comm;
    const Key key{comm.comm_id, comm.comm_id == 0 ? comm.number : 0, comm.nranks};
    std::vector<Draft>& same = drafts[key];
    if (same.empty()) order.push_back(key);
    const bool placed = std::any_of(same.begin(), same.end(),
                                    [&](Draft& draft) { return place(&draft, &instance); });
    if (!placed) place(&same.emplace_back(), &instance);
  }
  for (const Key& key : order) {
    uint32_t incarnation = 0;
    for (const Draft& draft : drafts[key]) emit(draft, incarnation++, run);
  }
  note_shared_names(&run->communicators);
  note_parents(instances, run);
}

CommunicatorIndex::CommunicatorIndex(const RunTables& run) : by_process_(run.processes.size()) {
  for (const MemberRow& member : run.members) {
    by_process_[member.process].emplace_back(member.number, member.communicator);
  }
  for (auto& numbers : by_process_) std::sort(numbers.begin(), numbers.end());
}

uint32_t CommunicatorIndex::find(uint32_t process, uint32_t number) const {
  const auto& numbers = by_process_[process];
  const auto found =
      std::lower_bound(numbers.begin(), numbers.end(), std::make_pair(number, uint32_t{0}));
  return found != numbers.end() && found->first == number ? found->second : kNoRow;
}

}  // namespace lockstep::analysis
