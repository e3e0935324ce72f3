#include "analysis/waits/call_chain.h"

#include <algorithm>

namespace lockstep::analysis {

CallChain::CallChain(const RunTables& run) {
  link_of_.reserve(run.operations.size());
  for (const OperationRow& row : run.operations) {
    const bool same_call = !links_.empty() && links_.back().process == row.process &&
                           row.group_id != 0 && links_.back().group_id == row.group_id &&
                           row.replay == 0;
    if (!same_call) add_link(row);
    link_of_.push_back(static_cast<uint32_t>(links_.size() - 1));
    const int64_t end_ns = row.over_ns();
    // The whole of an all-to-all stands for its parts, and comes before them.
    if (row.assembled != kNoRow || end_ns == kNoTime || end_ns <= links_.back().end_ns) continue;
    links_.back().end_ns = end_ns;
    links_.back().match = row.match;
  }
}

void CallChain::add_link(const OperationRow& row) {
  Link link;
  link.process = row.process;
  link.group_id = row.group_id;
  if (!links_.empty() && links_.back().process == row.process)
    link.latest_before_ns = std::max(links_.back().latest_before_ns, links_.back().end_ns);
  links_.push_back(link);
}

Predecessor CallChain::before(uint32_t operation, int64_t at_ns) const {
  Predecessor latest;
  const uint32_t process = links_[link_of_[operation]].process;
  for (uint32_t i = link_of_[operation]; i-- > 0 && links_[i].process == process;) {
    const Link& link = links_[i];
    if (link.end_ns <= at_ns && link.end_ns > latest.finish_ns) latest = {link.end_ns, link.match};
    if (link.latest_before_ns <= latest.finish_ns) break;  // nothing further back ended later
  }
  return latest;
}

}  // namespace lockstep::analysis
