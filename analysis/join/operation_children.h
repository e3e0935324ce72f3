// What network operations (ProxyOp) and kernel channels (KernelCh) add to the row of the operation
// they serve. Used by the join while it reads, at its end for those that are still open, and by the
// run for PXN children that another process recorded. kernel_start_ns and kernel_stop_ns hold raw
// GPU stamps until the join maps them.
#pragma once

#include <algorithm>

#include "analysis/join/process_operations.h"

namespace lockstep::analysis {

void add_work(const ProxyWork& work, OperationRow* row);
// Of that what a brief row tells.
inline void add_work(const ProxyWork& work, BriefOperation* row) {
  row->last_progress_ns = std::max(row->last_progress_ns, work.last_ns);
  row->finish_ns = std::max(row->finish_ns, work.stop_ns);
}
// When it was done, beside the row at this place, where that is of a collective.
void add_channel_end(const ProxyWork& work, const OperationRow& row, uint32_t at,
                     std::vector<ChannelEndRow>* ends);
// Whether its ends say more than the row does: where one channel goes round a ring, that has both peers.
bool needs_channel_ends(const OperationRow& row, const StringPool& strings);
void add_kernel(const KernelSpan& kernel, OperationRow* row);

// The same for a row that will be brief; a few instructions each, at every end of a child.
inline void add_work(const ProxyWork& work, BriefRow* row) {
  ++row->proxy_ops;
  if (!work.stepped && work.stop_ns == kNoTime) {
    row->flags |= kNeverSteppedProxy;
  } else if (work.stop_ns == kNoTime) {
    ++row->proxy_ops_open;
  }
  add_work(work, static_cast<BriefOperation*>(row));
}
void add_kernel(const KernelSpan& kernel, BriefRow* row);

}  // namespace lockstep::analysis
