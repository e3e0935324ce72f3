#include "analysis/join/join_state.h"

#include <algorithm>

#include "analysis/join/operation_children.h"

namespace lockstep::analysis {

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
  if (work.last_ns >= from_ns && work.start_ns <= to_ns)
    channels.add(work, out.rows[row], &out.channels);
  return true;
}

bool JoinState::fold(const KernelSpan& kernel) {
  const uint32_t row = row_at.find(kernel.parent);
  if (row == IdMap::kNone) return false;
  add_kernel(kernel, &out.rows[row]);
  if (std::max(kernel.seen_ns, kernel.stop_ns) >= from_ns && kernel.seen_ns <= to_ns)
    channels.add(kernel, out.rows[row], &out.channels);
  return true;
}

}  // namespace lockstep::analysis
