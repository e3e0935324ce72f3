// What OperationJoin knows while it reads the records of a process, and make_rows() turns into
// operations at their end. Pools keep the places of what has ended for what comes next; maps find
// places by event id. Used by one thread at a time.
#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

#include "analysis/join/channel_totals.h"
#include "analysis/join/gpu_times.h"
#include "analysis/join/mark_join.h"
#include "analysis/join/operation_children.h"
#include "analysis/join/process_operations.h"
#include "analysis/join/send_queue.h"
#include "base/id_map.h"
#include "base/id_series.h"

namespace lockstep::analysis {

struct ApiCall {
  uint64_t id = 0, group_id = 0, count = 0, stream = 0, user_tag = 0;
  int64_t start_ns = kNoTime, stop_ns = kNoTime;
  Text func = 0, datatype = 0;
  int32_t root = -1;
  uint32_t tid = 0, launched = 0;  // launched: Coll or P2p events it got
  bool captured = false;
};

struct GroupCall {
  int64_t stop_ns = kNoTime, launch_start_ns = kNoTime, launch_stop_ns = kNoTime;
};

struct OpenStep {
  uint64_t id = 0, work = 0;
  uint32_t number = 0;
  StepTimes times;
};

// What a launch event says beside its row.
struct Launch {
  uint64_t api_id = 0, sequence = 0;
  bool has_sequence = false;
};

struct JoinState {
  explicit JoinState(uint32_t process_id) : pid(process_id) {}
  // Empty, with the memory of one that is over.
  JoinState(uint32_t process_id, JoinState over);
  JoinedComm& comm(uint32_t number);
  // Into the operation's row; false when it is not known (yet), or is another process's.
  bool fold(const ProxyWork& work) {
    return brief ? fold_into(work, &brief_rows) : fold_into(work, &out.rows);
  }
  bool fold(const KernelSpan& kernel) {
    return brief ? fold_into(kernel, &brief_rows) : fold_into(kernel, &out.rows);
  }

  void count_orphan(int64_t last_ns) {
    ++out.orphans;
    if (last_ns >= whole_from_ns && last_ns <= to_ns) ++out.cut_off;
  }

  uint32_t pid;
  // What is asked about: records of other times are read to understand those of these.
  int64_t from_ns = kNoTime, to_ns = std::numeric_limits<int64_t>::max();
  int64_t whole_from_ns = kNoTime;  // of what ended before there the beginning may be missing
  // Kinds that captures added for a while: an operation that has none of them lacks nothing.
  uint32_t captured_kinds = 0;
  bool brief = false;  // of operations ProcessOperations::brief is wanted, and no channels
  ProcessOperations out;
  std::vector<BriefRow> brief_rows;  // in place of out.rows where brief
  std::vector<Launch> launches;      // beside those
  std::vector<ApiCall> apis;
  std::vector<GroupCall> groups;
  std::vector<uint64_t> launch_groups;  // of open KernelLaunch events
  std::vector<KernelSpan> kernels, kernels_done;
  std::vector<ProxyWork> works, works_done;
  std::vector<OpenStep> steps;
  SendQueue sends;  // of these
  std::vector<PhaseSpan> phases;
  std::vector<uint32_t> free_steps, free_works, free_kernels, free_phases;
  IdSeries row_at, api_at, group_at;
  IdMap comm_at, launch_at, kernel_at, work_at, step_at,
      phase_at;  // but for the first, of what is open
  GpuTimes gpu;
  MarkJoin marks;
  ChannelTotals channels;  // in `out`

 private:
  template <typename Row>
  bool fold_into(const ProxyWork& work, std::vector<Row>* rows);
  template <typename Row>
  bool fold_into(const KernelSpan& kernel, std::vector<Row>* rows);
};

template <typename Row>
bool JoinState::fold_into(const ProxyWork& work, std::vector<Row>* rows) {
  const uint32_t at = work.pid == pid ? row_at.find(work.parent) : IdMap::kNone;
  // A pid can occur twice in different pid namespaces: the ranks must agree as well.
  if (at == IdMap::kNone || (*rows)[at].rank != work.rank) return false;
  Row& row = (*rows)[at];
  add_work(work, &row);
  if constexpr (std::is_same_v<Row, OperationRow>) {
    add_channel_end(work, row, at, &out.channel_ends);
    if (work.last_ns >= from_ns && work.start_ns <= to_ns) channels.add(work, row, &out.channels);
  }
  return true;
}

template <typename Row>
bool JoinState::fold_into(const KernelSpan& kernel, std::vector<Row>* rows) {
  const uint32_t at = row_at.find(kernel.parent);
  if (at == IdMap::kNone) return false;
  Row& row = (*rows)[at];
  add_kernel(kernel, &row);
  if constexpr (std::is_same_v<Row, OperationRow>) {
    if (std::max(kernel.seen_ns, kernel.stop_ns) >= from_ns && kernel.seen_ns <= to_ns)
      channels.add(kernel, row, &out.channels);
  }
  return true;
}

}  // namespace lockstep::analysis
