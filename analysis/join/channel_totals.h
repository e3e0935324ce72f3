// What the children of operations add to their channel: network operations (ProxyOp) and kernels (KernelCh), at the same time
// as to the row of their operation (operation_children.h), so that the two add up to the same; and the
// phases of kernels on symmetric memory, which only channels have. One thread.
#pragma once

#include <vector>

#include "analysis/join/process_operations.h"
#include "base/id_map.h"

namespace lockstep::analysis {

class ChannelTotals {
 public:
  // Knows the rows that are there already; the same vector is passed to every add().
  explicit ChannelTotals(const std::vector<ChannelRow>& rows = {});

  void add(const ProxyWork& work, const OperationRow& row, std::vector<ChannelRow>* rows);
  void add(const KernelSpan& kernel, const OperationRow& row, std::vector<ChannelRow>* rows);
  void add(const PhaseSpan& phase, const JoinedComm& comm, std::vector<ChannelRow>* rows);

 private:
  struct Whose {
    uint32_t process, communicator;
    int32_t rank;
  };
  ChannelRow& row_of(const Whose& whose, uint8_t channel, std::vector<ChannelRow>* rows);

  IdMap at_;
};

}  // namespace lockstep::analysis
