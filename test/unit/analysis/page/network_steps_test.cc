// Network operations and steps of a short time, from rows that a test streams.
#include "analysis/page/network_steps.h"

#include <gtest/gtest.h>

#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

constexpr int64_t kFirstRecordNs = 50'000'000'000;
constexpr uint64_t kOperation = 7;  // event id of the one operation

// One rank with one operation from 100 to 200 ms after the run's first record, and what a test adds beneath it.
class NetworkStepsTest : public testing::Test {
 protected:
  NetworkStepsTest() {
    run_.aligned = true;
    for (int32_t rank = 0; rank < 2; ++rank) {
      ProcessRow process;
      process.rank = rank;
      process.aligned = 1;
      process.first_ns = kFirstRecordNs;
      process.kinds = 1u << static_cast<unsigned>(Kind::ProxyOp);
      run_.processes.push_back(process);
    }
    run_.processes[1].kinds = 0;
    OperationRow row;
    row.event_id = kOperation;
    row.api_start_ns = kFirstRecordNs + 100 * kMs;
    row.finish_ns = kFirstRecordNs + 200 * kMs;
    row.state = OpState::Done;
    run_.operations.push_back(row);
  }

  void add_operation(uint64_t id, int64_t from_ms, int64_t to_ms, bool is_send = true,
                     uint8_t channel = 0) {
    EventRow row;
    row.event_id = id;
    row.parent_id = kOperation;
    row.kind = static_cast<uint8_t>(Kind::ProxyOp);
    row.start_ns = kFirstRecordNs + from_ms * kMs;
    row.stop_ns = kFirstRecordNs + to_ms * kMs;
    row.is_send = is_send ? 1 : 0;
    row.channel = channel;
    events_.push_back(row);
  }
  void add_step(uint64_t operation, int32_t number, int64_t from_ms, int64_t to_ms) {
    ProxyStepRow row;
    row.event_id = 1000 + steps_.size();
    row.proxy_op_id = operation;
    row.step = number;
    row.start_ns = kFirstRecordNs + from_ms * kMs;
    row.stop_ns = to_ms < 0 ? kNoTime : kFirstRecordNs + to_ms * kMs;
    steps_.push_back(row);
  }

  NetworkSteps find(int64_t from_ms, int64_t to_ms, size_t most = 100, int32_t rank = 0) {
    const ExportInput input{
        &run_, nullptr, "",
        [this](uint32_t process, int64_t from_ns, int64_t to_ns, DetailSink* sink) {
          read_from_ns_ = from_ns - kFirstRecordNs;
          read_to_ns_ = to_ns - kFirstRecordNs;
          if (process != 0) return Status();
          for (const ProxyStepRow& row : steps_) sink->proxy_step(row);
          for (const EventRow& row : events_) sink->event(row);
          return Status();
        }};
    NetworkQuestion question;
    question.wants_rank = [rank](int32_t one) { return one == rank; };
    question.from_ns = from_ms * kMs;
    question.to_ns = to_ms * kMs;
    question.most = most;
    const RunTime time(run_);
    auto found = find_network_steps(input, time, question);
    EXPECT_TRUE(found.ok()) << found.message();
    return std::move(found.value());
  }

  RunTables run_;
  std::vector<EventRow> events_;
  std::vector<ProxyStepRow> steps_;
  int64_t read_from_ns_ = 0, read_to_ns_ = 0;
};

TEST_F(NetworkStepsTest, AreThoseInFlightInTheWindowWithTheOperationThatTheyWorkFor) {
  add_operation(21, 110, 190, false);
  add_operation(20, 110, 190);
  add_operation(22, 110, 120);
  add_step(20, 5, 140, 160);
  add_step(20, 4, 130, 151);
  add_step(20, 3, 120, 149);
  const NetworkSteps found = find(150, 155);
  ASSERT_EQ(found.operations.size(), 2u);
  EXPECT_EQ(found.operations[0].event.event_id, 20u) << "sends first";
  EXPECT_EQ(found.operations[0].operation, 0u);
  ASSERT_EQ(found.steps.size(), 2u);
  EXPECT_EQ(found.steps[0].row.step, 4);
  EXPECT_EQ(found.steps[1].row.step, 5);
  EXPECT_EQ(found.steps[1].network_operation, 0u);
  EXPECT_EQ(found.steps_left_out + found.operations_left_out, 0u);
}

TEST_F(NetworkStepsTest, AreTheLongestWhereThereAreMoreAndTheOthersAreCounted) {
  add_operation(20, 100, 200);
  for (int32_t i = 0; i < 50; ++i) add_step(20, i, 100, 101 + i);
  add_step(20, 50, 100, -1);
  const NetworkSteps found = find(100, 200, 3);
  ASSERT_EQ(found.steps.size(), 3u);
  EXPECT_EQ(found.steps[0].row.step, 48);
  EXPECT_EQ(found.steps[2].row.step, 50) << "one without an end is longer than all";
  EXPECT_EQ(found.steps_left_out, 48u);
}

TEST_F(NetworkStepsTest, OfANetworkOperationThatWasNotReadAreCountedAsLeftOut) {
  add_operation(20, 100, 200);
  add_step(20, 0, 150, 160);
  add_step(99, 0, 150, 160);
  const NetworkSteps found = find(100, 200);
  EXPECT_EQ(found.steps.size(), 1u);
  EXPECT_EQ(found.steps_left_out, 1u);
}

TEST_F(NetworkStepsTest, AreReadFromTheCallOfTheOperationToItsEnd) {
  find(150, 155);
  EXPECT_EQ(read_from_ns_, 100 * kMs);
  EXPECT_EQ(read_to_ns_, 200 * kMs);
  find(300, 310);
  EXPECT_EQ(read_from_ns_, 300 * kMs) << "it is over by then";
}

TEST_F(NetworkStepsTest, AreNotReadMoreThanTenSecondsAroundTheWindow) {
  run_.operations[0].finish_ns = kNoTime;
  run_.operations[0].state = OpState::InFlight;
  find(60'000, 60'001);
  EXPECT_EQ(read_from_ns_, 50'000 * kMs);
  EXPECT_EQ(read_to_ns_, 70'001 * kMs);
}

TEST_F(NetworkStepsTest, SayWhatTheRanksRecorded) {
  const NetworkSteps of_first = find(100, 200), of_second = find(100, 200, 100, 1);
  EXPECT_TRUE(of_first.operations_recorded);
  EXPECT_FALSE(of_first.steps_recorded);
  EXPECT_FALSE(of_second.operations_recorded);
}

TEST_F(NetworkStepsTest, OfASendOfAnAllToAllNameTheAllToAll) {
  run_.operations.push_back(run_.operations[0]);
  run_.operations[1].event_id = 8;
  run_.operations[0].assembled = 1;
  add_operation(20, 110, 190);
  const NetworkSteps found = find(100, 200);
  ASSERT_EQ(found.operations.size(), 1u);
  EXPECT_EQ(found.operations[0].operation, 1u);
}

}  // namespace
}  // namespace lockstep::analysis
