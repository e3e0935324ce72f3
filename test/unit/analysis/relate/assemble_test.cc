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

TEST(AnAssembledOperation, OfBriefPartsIsThatOfPartsInFull) {
  const auto full = an_all_to_all(), brief = an_all_to_all();
  for (OperationRow& part : full->operations) part.finish_ns = 3000 + part.peer;
  brief->brief.assign(full->operations.begin(), full->operations.end());
  brief->operations.clear();
  assemble_groups(full.get());
  assemble_groups<BriefOperation>(brief.get());
  ASSERT_EQ(brief->brief.size(), 5u);
  const BriefOperation &a = brief->brief[0], &b = full->operations[0];
  EXPECT_EQ(a.kind, OpKind::Assembled);
  EXPECT_EQ(brief->text(a.func), full->text(b.func));
  EXPECT_EQ(a.kernel_start_ns, b.kernel_start_ns);
  EXPECT_EQ(a.finish_ns, b.finish_ns);
  EXPECT_EQ(a.finish_ns, 3002);
  EXPECT_EQ(a.state, OpState::Done);
}

}  // namespace
}  // namespace lockstep::analysis
