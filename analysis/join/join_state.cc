#include "analysis/join/join_state.h"

#include <algorithm>
#include <utility>

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
  take_memory(&over.brief_rows, &brief_rows);
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

}  // namespace lockstep::analysis
