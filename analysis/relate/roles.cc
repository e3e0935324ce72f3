#include "analysis/relate/roles.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>
#include <vector>

#include "analysis/tables/labels.h"

namespace lockstep::analysis {
namespace {

struct RoleWord {
  const char* word;
  CommRole role;
};
constexpr RoleWord kWords[] = {
    {"tp", CommRole::Tensor},         {"tensor", CommRole::Tensor}, {"pp", CommRole::Pipeline},
    {"pipeline", CommRole::Pipeline}, {"pipe", CommRole::Pipeline}, {"dp", CommRole::Data},
    {"ddp", CommRole::Data},          {"fsdp", CommRole::Data},     {"data", CommRole::Data},
    {"replicate", CommRole::Data},    {"ep", CommRole::Expert},     {"expert", CommRole::Expert},
    {"experts", CommRole::Expert},    {"moe", CommRole::Expert},    {"cp", CommRole::Context},
    {"context", CommRole::Context}};

// Reductions of less than this on average carry no tensors: losses, norms, flags.
constexpr uint64_t kTensorBytes = 16 << 10;
// Layers reduce between most exchanges with the neighbouring stages; gradients once after all of them.
constexpr double kLayerShare = 0.3;

// What the members of a communicator did on it.
struct Use {
  std::vector<int32_t> ranks;  // in the job, in order; those that are recorded
  int32_t stride = 0;          // between neighbours of `ranks`; 0: not everywhere the same
  uint64_t reductions = 0, reduced_bytes = 0, sends = 0, sent_bytes = 0, all_to_alls = 0;
  bool ring = true;        // sends go to neighbours only
  uint64_t exchanges = 0;  // of its members, on any communicator: launches of sends and receives
  uint64_t after_exchange = 0;  // times that a member's reductions here followed such a launch

  bool moves_tensors() const {
    return reductions != 0 && reduced_bytes / reductions >= kTensorBytes;
  }
  bool is_exchange() const { return all_to_alls != 0 || sent_bytes > reduced_bytes; }
  bool is_reduction() const { return moves_tensors() && !is_exchange(); }
};

bool holds(const Use& large, const Use& small) {
  return std::includes(large.ranks.begin(), large.ranks.end(), small.ranks.begin(),
                       small.ranks.end());
}

// One rank in common: the two are different axes of the job.
bool crosses(const Use& a, const Use& b) {
  std::vector<int32_t> common;
  std::set_intersection(a.ranks.begin(), a.ranks.end(), b.ranks.begin(), b.ranks.end(),
                        std::back_inserter(common));
  return common.size() == 1;
}

class Guesser {
 public:
  explicit Guesser(RunTables* run)
      : run_(*run),
        uses_(run->communicators.size()),
        of_process_(run->processes.size()),
        send_(run->strings.find("Send")),
        receive_(run->strings.find("Recv")) {
    for (const char* name : {"AllReduce", "ReduceScatter", "AllGather"})
      reduce_.insert(run->strings.find(name));
    for (const char* name : {"AlltoAll", "AllToAll"}) all_to_all_.insert(run->strings.find(name));
    for (std::set<Text>* names : {&reduce_, &all_to_all_}) names->erase(0);
  }

  void guess() {
    for (uint32_t c = 0; c < uses_.size(); ++c) find_members(c);
    count();
    for (uint32_t c = 0; c < uses_.size(); ++c) {
      CommunicatorRow& row = run_.communicators[c];
      std::string reason = "its name";
      row.role = role_of_name(run_.text(row.name));
      if (row.role == CommRole::Unknown) row.role = by_use(c, &reason);
      if (row.role != CommRole::Unknown) row.role_reason = run_.strings.intern(reason);
    }
  }

 private:
  void find_members(uint32_t c) {
    const CommunicatorRow& row = run_.communicators[c];
    most_ranks_ = std::max(most_ranks_, row.nranks);
    Use& use = uses_[c];
    for (uint32_t m = row.first_member; m < row.first_member + row.members; ++m) {
      const uint32_t process = run_.members[m].process;
      of_process_[process].push_back(c);
      use.ranks.push_back(run_.processes[process].rank);
    }
    std::sort(use.ranks.begin(), use.ranks.end());
    if (use.ranks.size() < 2) return;
    use.stride = use.ranks[1] - use.ranks[0];
    for (size_t i = 2; i < use.ranks.size(); ++i) {
      if (use.ranks[i] - use.ranks[i - 1] != use.stride) use.stride = 0;
    }
  }

  // Operations lie by process, then by the time of the call.
  void count() {
    std::vector<uint64_t> seen(
        uses_.size());  // the exchange that a communicator's last reduction followed
    uint64_t exchange = 0, group = 0;
    for (size_t i = 0; i < run_.operations.size(); ++i) {
      const OperationRow& row = run_.operations[i];
      if (i == 0 || row.process != run_.operations[i - 1].process) {
        if (i != 0) end_process(run_.operations[i - 1].process, exchange);
        std::fill(seen.begin(), seen.end(), 0);
        exchange = group = 0;
      }
      if (row.communicator >= uses_.size()) continue;
      Use& use = uses_[row.communicator];
      if (all_to_all_.count(row.func) != 0) ++use.all_to_alls;
      if (row.kind == OpKind::Assembled) continue;
      if (row.func == send_ || row.func == receive_) {
        if (row.func == send_) count_send(row, &use);
        if (row.group_id == 0 || row.group_id != group) ++exchange;
        group = row.group_id;
      } else if (reduce_.count(row.func) != 0) {
        ++use.reductions;
        use.reduced_bytes += row.size_bytes;
        if (seen[row.communicator] != exchange) ++use.after_exchange;
        seen[row.communicator] = exchange;
      }
    }
    if (!run_.operations.empty()) end_process(run_.operations.back().process, exchange);
  }
  void count_send(const OperationRow& row, Use* use) const {
    ++use->sends;
    use->sent_bytes += row.size_bytes;
    const int32_t ranks = run_.communicators[row.communicator].nranks;
    const int32_t away = ranks > 0 ? (row.peer - row.rank + ranks) % ranks : 0;
    use->ring = use->ring && (away == 1 || away == ranks - 1);
  }
  void end_process(uint32_t process, uint64_t exchanges) {
    for (const uint32_t c : of_process_[process]) uses_[c].exchanges += exchanges;
  }

  CommRole by_use(uint32_t c, std::string* reason) const {
    const Use& use = uses_[c];
    if (use.ranks.size() < 2) return CommRole::Unknown;
    if (use.is_exchange()) return of_exchange(c, reason);
    const bool everybody = run_.communicators[c].nranks == most_ranks_;
    if (everybody && !use.moves_tensors()) {
      *reason = "all ranks, and small messages only";
      return CommRole::World;
    }
    if (!use.moves_tensors()) return CommRole::Unknown;
    if (everybody) {
      *reason = "all ranks reduce or gather tensors together";
      return CommRole::Data;
    }
    return use.stride == 0 ? CommRole::Unknown : of_part(c, reason);
  }

  CommRole of_exchange(uint32_t c, std::string* reason) const {
    const Use& use = uses_[c];
    if (use.all_to_alls != 0) {
      *reason = "all-to-alls among its ranks";
      return CommRole::Expert;
    }
    const uint32_t together =
        find(c, [&](const Use& other) { return other.is_reduction() && holds(other, use); });
    if (together == kNoRow) {
      if (!use.ring) return CommRole::Unknown;
      *reason = "sends and receives between neighbours that reduce no tensors together";
      return CommRole::Pipeline;
    }
    // Longer rings in a communicator of data ranks are attention over a context that is cut up, or somebody's own.
    if (use.ring && use.ranks.size() > 2) return CommRole::Unknown;
    *reason = "sends and receives among ranks that also reduce together, on " +
              communicator_label(run_, together);
    return CommRole::Expert;
  }

  // A part of the ranks, at equal distances.
  CommRole of_part(uint32_t c, std::string* reason) const {
    const Use& use = uses_[c];
    const std::string apart = "its ranks are " + std::to_string(use.stride) + " apart";
    const uint32_t other = find(c, [&](const Use& one) {
      return one.is_reduction() && one.stride != 0 && one.stride != use.stride && crosses(one, use);
    });
    if (other != kNoRow) {
      const int32_t stride = uses_[other].stride;
      *reason = apart + ", those of " + communicator_label(run_, other) + " across it " +
                std::to_string(stride);
      return use.stride < stride ? CommRole::Tensor : CommRole::Data;
    }
    const uint32_t inside =
        find(c, [&](const Use& one) { return one.is_exchange() && holds(use, one); });
    if (inside != kNoRow) {
      *reason = apart + " and hold those of " + communicator_label(run_, inside);
      return CommRole::Data;
    }
    if (use.exchanges == 0) return CommRole::Unknown;
    const double share =
        static_cast<double>(use.after_exchange) / static_cast<double>(use.exchanges);
    const bool layers = share >= kLayerShare;
    *reason = layers ? "its ranks reduce between their exchanges with other stages"
                     : "its ranks reduce after their exchanges with other stages";
    return layers ? CommRole::Tensor : CommRole::Data;
  }

  // Another communicator of its first member which `is` what is asked; kNoRow: none.
  template <typename Is>
  uint32_t find(uint32_t c, Is is) const {
    const MemberRow& first = run_.members[run_.communicators[c].first_member];
    for (const uint32_t other : of_process_[first.process]) {
      if (other != c && uses_[other].ranks.size() > 1 && is(uses_[other])) return other;
    }
    return kNoRow;
  }

  RunTables& run_;
  std::vector<Use> uses_;
  std::vector<std::vector<uint32_t>> of_process_;  // communicators that it is a member of
  const Text send_, receive_;
  std::set<Text> reduce_, all_to_all_;
  int32_t most_ranks_ = 0;
};

}  // namespace

CommRole role_of_name(const std::string& name) {
  std::set<CommRole> roles;
  std::string word;
  for (size_t i = 0; i <= name.size(); ++i) {
    const char c = i < name.size() ? name[i] : '_';
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      continue;
    }
    for (const RoleWord& known : kWords) {
      if (word == known.word) roles.insert(known.role);
    }
    word.clear();
  }
  // Replicas of experts, and of parts of a context, are data ranks.
  if (roles.size() == 2 && roles.count(CommRole::Data) != 0 && roles.count(CommRole::Tensor) == 0 &&
      roles.count(CommRole::Pipeline) == 0)
    return CommRole::Data;
  return roles.size() == 1 ? *roles.begin() : CommRole::Unknown;
}

void guess_roles(RunTables* run) { Guesser(run).guess(); }

}  // namespace lockstep::analysis
