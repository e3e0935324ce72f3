// The numbers of operations where a run is read from its middle: the same on all ranks.
#include "analysis/relate/span_numbers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

class ReadFromTheMiddle : public testing::Test {
 protected:
  ReadFromTheMiddle() {
    run_.communicators.emplace_back();
    for (int i = 0; i < 3; ++i) {
      ProcessRow process;
      process.host = run_.strings.intern("node");
      process.asked_from_raw_ns = process.read_from_raw_ns = 5;
      run_.processes.push_back(process);
    }
  }
  OperationRow& add(uint32_t process, OpKind kind, const char* func, uint32_t ordinal,
                    int64_t finish_ns) {
    OperationRow row;
    row.process = process;
    row.rank = static_cast<int32_t>(process);
    row.communicator = 0;
    row.kind = kind;
    row.func = run_.strings.intern(func);
    row.ordinal = ordinal;
    row.finish_ns = finish_ns;
    row.state = OpState::Done;
    run_.operations.push_back(row);
    return run_.operations.back();
  }
  // Rank 0 sends to rank 1, every 20 ms; what is read of rank 1 begins `later` receives later, and a
  // receive is done 2 ms after its send.
  void add_pair(int later) {
    for (int i = 0; i < 50; ++i)
      add(0, OpKind::PointToPoint, "Send", static_cast<uint32_t>(i), i * 20 * kMs).peer = 1;
    for (int i = later; i < 50; ++i) {
      add(1, OpKind::PointToPoint, "Recv", static_cast<uint32_t>(i - later), (i * 20 + 2) * kMs)
          .peer = 0;
    }
  }
  // Of the operations with one ordinal, how far apart the ends lie.
  int64_t widest_ns() const {
    std::map<uint32_t, std::set<int64_t>> ends;
    for (const OperationRow& row : run_.operations) ends[row.ordinal].insert(row.finish_ns);
    int64_t widest = 0;
    for (const auto& [ordinal, of] : ends) widest = std::max(widest, *of.rbegin() - *of.begin());
    return widest;
  }

  RunTables run_;
};

TEST_F(ReadFromTheMiddle, ASendAndItsReceiveHaveOneNumber) {
  for (const int later : {1, 7, 20}) {
    run_.operations.clear();
    add_pair(later);

    align_numbers(NumberedRows::Recorded, &run_);

    EXPECT_EQ(widest_ns(), 2 * kMs) << later;
  }
}

// All of it is read, but the recording began where NCCL had numbered collectives already.
TEST_F(ReadFromTheMiddle, ARecordingThatBeganThereIsAlignedToo) {
  for (ProcessRow& process : run_.processes)
    process.asked_from_raw_ns = process.read_from_raw_ns = 0;
  add_pair(7);
  for (const uint32_t rank : {0u, 1u}) add(rank, OpKind::Collective, "AllReduce", 40 + rank, 0);

  align_numbers(NumberedRows::Recorded, &run_);

  run_.operations.resize(run_.operations.size() - 2);
  EXPECT_EQ(widest_ns(), 2 * kMs);
}

TEST_F(ReadFromTheMiddle, CallsStandForEndsThatAreNotKnown) {
  add_pair(3);
  for (OperationRow& row : run_.operations) {
    row.enqueue_ns = row.finish_ns;
    row.finish_ns = kNoTime;
  }

  align_numbers(NumberedRows::Recorded, &run_);

  EXPECT_EQ(run_.operations.front().ordinal, 0u);
  EXPECT_EQ(run_.operations.back().ordinal, 49u);
}

TEST_F(ReadFromTheMiddle, NumbersOfWhatWasReadFromItsBeginningStay) {
  for (ProcessRow& process : run_.processes) process.read_from_raw_ns = 0;
  add_pair(3);

  align_numbers(NumberedRows::Recorded, &run_);

  EXPECT_EQ(run_.operations.back().ordinal, 46u);
}

TEST_F(ReadFromTheMiddle, HostsWithoutACommonClockKeepTheirNumbers) {
  run_.processes[1].host = run_.strings.intern("other");
  add_pair(3);

  align_numbers(NumberedRows::Recorded, &run_);

  EXPECT_EQ(run_.operations.back().ordinal, 46u);
}

TEST_F(ReadFromTheMiddle, ACollectiveHasOnePositionOnAllRanks) {
  // Rank 2 has ended its #100 before what is read begins.
  for (uint32_t rank = 0; rank < 3; ++rank) {
    for (uint32_t i = rank == 2 ? 101 : 100, position = 0; i < 110; ++i)
      add(rank, OpKind::Collective, "AllReduce", i, i * kMs).position = position++;
  }

  align_numbers(NumberedRows::Recorded, &run_);

  for (const OperationRow& row : run_.operations)
    EXPECT_EQ(row.position, row.ordinal - 100) << row.rank;
}

TEST_F(ReadFromTheMiddle, AssembledOperationsAreAlignedByThemselves) {
  for (uint32_t rank = 0; rank < 3; ++rank) {
    for (uint32_t i = rank; i < 30; ++i)
      add(rank, OpKind::Assembled, "AlltoAll", i - rank, i * 10 * kMs);
  }

  align_numbers(NumberedRows::Assembled, &run_);

  EXPECT_EQ(widest_ns(), 0);
}

}  // namespace
}  // namespace lockstep::analysis
