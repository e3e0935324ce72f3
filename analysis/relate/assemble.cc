#include "analysis/relate/assemble.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

namespace lockstep::analysis {
namespace {

struct Group {
  std::vector<uint32_t> rows;
  uint32_t sends = 0, receives = 0;
  std::set<int32_t> to, from;
  Text func = 0;
  int32_t root = -1;
};

template <typename Row>
class Assembler {
 public:
  explicit Assembler(RunTables* run)
      : run_(*run),
        operations_(operations_of<Row>(*run)),
        send_(run->strings.find("Send")),
        all_to_all_(run->strings.intern("AlltoAll")),
        gather_(run->strings.intern("Gather")),
        scatter_(run->strings.intern("Scatter")) {}

  // False: there is none.
  bool assemble() {
    collect();
    for (auto& [key, group] : groups_) choose(std::get<1>(key), &group);
    for (auto& [key, group] : groups_) {
      if (group.root >= 0 && group.func != 0) tell_partners(group);
    }
    return insert_rows();
  }

 private:
  using Key = std::tuple<uint32_t, uint32_t, uint64_t>;  // process, communicator, group call
  using Pair = std::tuple<uint32_t, int32_t, int32_t, uint32_t, uint32_t,
                          bool>;  // communicator, from, to, ordinal, replay, send

  void collect() {
    for (size_t i = 0; i < operations_.size(); ++i) {
      const Row& row = operations_[i];
      if (row.kind != OpKind::PointToPoint || row.group_id == 0 || row.communicator == kNoRow)
        continue;
      // Replays of a captured group follow each other; the replay number keeps them apart.
      const Key key{row.process, row.communicator, row.group_id + (uint64_t{row.replay} << 1)};
      Group& group = groups_[key];
      group.rows.push_back(static_cast<uint32_t>(i));
      group_of_[static_cast<uint32_t>(i)] = key;
      const bool sends = row.func == send_;
      ++(sends ? group.sends : group.receives);
      (sends ? group.to : group.from).insert(row.peer);
      by_pair_[pair_of(row, sends)] = static_cast<uint32_t>(i);
    }
  }
  static Pair pair_of(const BriefOperation& row, bool sends) {
    return {row.communicator,
            sends ? row.rank : row.peer,
            sends ? row.peer : row.rank,
            row.ordinal,
            row.replay,
            sends};
  }

  void choose(uint32_t communicator, Group* group) const {
    const int32_t rank = operations_[group->rows.front()].rank;
    const auto others =
        static_cast<size_t>(std::max(0, run_.communicators[communicator].nranks - 1));
    const size_t to = group->to.size() - group->to.count(rank),
                 from = group->from.size() - group->from.count(rank);
    if (others < 2) {  // of two ranks only the sends to oneself tell an all-to-all from an exchange
      if (others == 1 && to == 1 && from == 1 && group->to.count(rank) != 0)
        group->func = all_to_all_;
      return;
    }
    if (to == others && from == others) {
      group->func = all_to_all_;
    } else if (from == others && to == 0) {
      group->func = gather_;
      group->root = rank;
    } else if (to == others && from == 0) {
      group->func = scatter_;
      group->root = rank;
    }
  }

  void tell_partners(const Group& root) {
    for (const uint32_t i : root.rows) {
      const Row& row = operations_[i];
      Pair pair = pair_of(row, row.func == send_);
      std::get<5>(pair) = !std::get<5>(pair);
      const auto partner = by_pair_.find(pair);
      if (partner == by_pair_.end()) continue;
      Group& group = groups_[group_of_[partner->second]];
      if (group.func != 0) continue;
      group.func = root.func;
      group.root = root.root;
    }
  }

  Row whole(const Group& group) const {
    const Row& first = operations_[group.rows.front()];
    Row row;
    row.kind = OpKind::Assembled;
    row.event_id = row.group_id = first.group_id;
    row.process = first.process;
    row.communicator = first.communicator;
    row.rank = first.rank;
    row.peer = group.root;
    row.func = group.func;
    row.replay = first.replay;
    row.state = OpState::Done;
    if constexpr (std::is_same_v<Row, OperationRow>) {
      row.tid = first.tid;
      row.stream = first.stream;
      row.datatype = first.datatype;
    }
    for (const uint32_t i : group.rows) {
      add(operations_[i], &row);
      if constexpr (std::is_same_v<Row, OperationRow>) add_amounts(operations_[i], &row);
    }
    // The parts are one kernel: those whose times hold tell those of the whole.
    if (row.kernel_start_ns != kNoTime)
      row.flags = static_cast<uint8_t>(row.flags & ~kSuspectGpuTime);
    if (row.state != OpState::Done) row.finish_ns = row.kernel_stop_ns = kNoTime;
    return row;
  }
  static void keep_first(int64_t* kept, int64_t at) {
    if (at != kNoTime && (*kept == kNoTime || at < *kept)) *kept = at;
  }
  static void add(const BriefOperation& part, BriefOperation* row) {
    keep_first(&row->api_start_ns, part.api_start_ns);
    row->api_stop_ns = std::max(row->api_stop_ns, part.api_stop_ns);
    keep_first(&row->enqueue_ns, part.enqueue_ns);
    keep_first(&row->kernel_start_ns, part.kernel_start_ns);
    keep_first(&row->kernel_seen_ns, part.kernel_seen_ns);
    row->kernel_stop_ns = std::max(row->kernel_stop_ns, part.kernel_stop_ns);
    row->last_progress_ns = std::max(row->last_progress_ns, part.last_progress_ns);
    row->finish_ns = std::max(row->finish_ns, part.finish_ns);
    row->flags |= part.flags;
    // A send to oneself has no end of its own: the others' ends stand for it.
    const bool self = part.peer == part.rank && part.state == OpState::Enqueued;
    if (part.state != OpState::Done && !self) row->state = part.state;
  }
  // What brief rows do not tell.
  void add_amounts(const OperationRow& part, OperationRow* row) const {
    row->launch_ns = std::max(row->launch_ns, part.launch_ns);
    keep_first(&row->proxy_start_ns, part.proxy_start_ns);
    row->gpu_wait_ns += part.gpu_wait_ns;
    row->peer_wait_ns += part.peer_wait_ns;
    row->network_ns += part.network_ns;
    row->sending_ns += part.sending_ns;
    row->receive_wait_ns += part.receive_wait_ns;
    row->flush_ns += part.flush_ns;
    row->proxy_lag_ns = std::max(row->proxy_lag_ns, part.proxy_lag_ns);
    // The larger side counts: what a rank sends in all, of a gather what its root receives. The
    // others of a rooted operation hold one part of it.
    const bool counts =
        row->func == gather_ && row->rank == row->peer ? part.func != send_ : part.func == send_;
    if (counts || row->rank != row->peer) {
      row->count += counts || row->func != all_to_all_ ? part.count : 0;
      row->size_bytes += counts || row->func != all_to_all_ ? part.size_bytes : 0;
    }
    row->sent_bytes += part.sent_bytes;
    row->received_bytes += part.received_bytes;
    row->proxy_ops += part.proxy_ops;
    row->proxy_ops_open += part.proxy_ops_open;
    row->kernels += part.kernels;
    row->kernels_open += part.kernels_open;
    row->steps += part.steps;
    row->step_retries += part.step_retries;
    row->channels_mask |= part.channels_mask;
  }

  // The whole goes before its first part.
  bool insert_rows() {
    std::unordered_map<uint32_t, const Group*> before;
    for (const auto& [key, group] : groups_) {
      if (group.func != 0) before[group.rows.front()] = &group;
    }
    if (before.empty()) return false;
    std::vector<uint32_t> moved(operations_.size());
    std::vector<Row> rows;
    rows.reserve(operations_.size() + before.size());
    std::map<std::tuple<uint32_t, uint32_t, Text>, uint32_t> ordinals;
    std::vector<std::pair<uint32_t, const Group*>> wholes;
    for (uint32_t i = 0; i < operations_.size(); ++i) {
      if (const auto found = before.find(i); found != before.end()) {
        Row row = whole(*found->second);
        row.ordinal = ordinals[{row.process, row.communicator, row.func}]++;
        wholes.emplace_back(static_cast<uint32_t>(rows.size()), found->second);
        rows.push_back(row);
      }
      moved[i] = static_cast<uint32_t>(rows.size());
      rows.push_back(operations_[i]);
    }
    if constexpr (std::is_same_v<Row, OperationRow>) {
      for (const auto& [row, group] : wholes) {
        for (const uint32_t part : group->rows) rows[moved[part]].assembled = row;
      }
    }
    for (OpenTransportRow& open : run_.open_transports) {
      if (open.operation != kNoRow) open.operation = moved[open.operation];
    }
    for (ChannelEndRow& end : run_.channel_ends) end.operation = moved[end.operation];
    operations_.swap(rows);
    return true;
  }

  RunTables& run_;
  std::vector<Row>& operations_;
  Text send_, all_to_all_, gather_, scatter_;
  std::map<Key, Group> groups_;
  std::unordered_map<uint32_t, Key> group_of_;
  std::map<Pair, uint32_t> by_pair_;
};

}  // namespace

template <typename Row>
bool assemble_groups(RunTables* run) {
  return Assembler<Row>(run).assemble();
}
template bool assemble_groups<OperationRow>(RunTables* run);
template bool assemble_groups<BriefOperation>(RunTables* run);

}  // namespace lockstep::analysis
