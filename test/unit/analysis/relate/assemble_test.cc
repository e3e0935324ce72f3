#include "analysis/relate/assemble.h"

#include <gtest/gtest.h>

#include <memory>

namespace lockstep::analysis {
namespace {

// The sends of one rank of three to the others and its receives from them, in one group.
std::unique_ptr<RunTables> an_all_to_all() {
  auto tables = std::make_unique<RunTables>();
  RunTables& run = *tables;
  run.processes.emplace_back();
  CommunicatorRow communicator;
  communicator.nranks = 3;
  run.communicators.push_back(communicator);
  for (const char* func : {"Send", "Recv"}) {
    for (const int32_t peer : {1, 2}) {
      OperationRow part;
      part.kind = OpKind::PointToPoint;
      part.process = part.communicator = 0;
      part.rank = 0;
      part.peer = peer;
      part.group_id = 9;
      part.func = run.strings.intern(func);
      part.kernel_start_ns = 1000;
      part.kernel_stop_ns = 2000;
      part.state = OpState::Done;
      run.operations.push_back(part);
    }
  }
  return tables;
}

void make_suspect(OperationRow* row) {
  row->flags = kSuspectGpuTime | kSharedKernel;
  row->kernel_start_ns = row->kernel_stop_ns = kNoTime;
}

TEST(AnAssembledOperation, HasGpuTimesOrIsSuspectButNeverBoth) {
  const auto some = an_all_to_all();
  make_suspect(&some->operations[1]);
  assemble_groups(some.get());
  ASSERT_EQ(some->operations.size(), 5u);
  ASSERT_EQ(some->operations[0].kind, OpKind::Assembled);
  EXPECT_EQ(some->operations[0].kernel_start_ns, 1000);
  EXPECT_EQ(some->operations[0].flags, kSharedKernel);

  const auto all = an_all_to_all();
  for (OperationRow& part : all->operations) make_suspect(&part);
  assemble_groups(all.get());
  EXPECT_EQ(all->operations[0].kernel_start_ns, kNoTime);
  EXPECT_EQ(all->operations[0].flags, kSuspectGpuTime | kSharedKernel);
}

}  // namespace
}  // namespace lockstep::analysis
