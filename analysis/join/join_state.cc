#include "analysis/join/join_state.h"

#include <algorithm>
#include <utility>

#include "analysis/join/operation_children.h"

namespace lockstep::analysis {

namespace {

template <typename T>
void take_memory(std::vector<T>* over, std::vector<T>* mine) {
  over->clear();
  mine->swap(*over);
}
template <typename Map>
void take_map(Map* over, Map* mine) {
  over->clear();
  std::swap(*mine, *over);
}

}  // namespace

// What grows with the records of a process.
JoinState::JoinState(uint32_t process_id, JoinState over) : pid(process_id) {
  take_memory(&over.out.rows, &out.rows);
  take_memory(&over.launches, &launches);
  take_memory(&over.apis, &apis);
  take_memory(&over.groups, &groups);
  take_memory(&over.launch_groups, &launch_groups);
  for (IdSeries JoinState::*map : {&JoinState::row_at, &JoinState::api_at, &JoinState::group_at})
    take_map(&(over.*map), &(this->*map));
  for (IdMap JoinState::*map : {&JoinState::launch_at, &JoinState::kernel_at, &JoinState::work_at})
    take_map(&(over.*map), &(this->*map));
}

JoinedComm& JoinState::comm(uint32_t number) {
  const uint64_t key = uint64_t{number} + 1;
  uint32_t at = comm_at.find(key);
  if (at == IdMap::kNone) {
    at = static_cast<uint32_t>(out.comms.size());
    comm_at.set(key, at);
    out.comms.emplace_back().number = number;
  }
  return out.comms[at];
}

bool JoinState::fold(const ProxyWork& work) {
  const uint32_t row = work.pid == pid ? row_at.find(work.parent) : IdMap::kNone;
  // A pid can occur twice in different pid namespaces: the ranks must agree as well.
  if (row == IdMap::kNone || out.rows[row].rank != work.rank) return false;
  add_work(work, &out.rows[row]);
  if (!brief) add_channel_end(work, out.rows[row], row, &out.channel_ends);
  if (!brief && work.last_ns >= from_ns && work.start_ns <= to_ns)
    channels.add(work, out.rows[row], &out.channels);
  return true;
}

bool JoinState::fold(const KernelSpan& kernel) {
  const uint32_t row = row_at.find(kernel.parent);
  if (row == IdMap::kNone) return false;
  add_kernel(kernel, &out.rows[row]);
  if (!brief && std::max(kernel.seen_ns, kernel.stop_ns) >= from_ns && kernel.seen_ns <= to_ns)
    channels.add(kernel, out.rows[row], &out.channels);
  return true;
}

}  // namespace lockstep::analysis
