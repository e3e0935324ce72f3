#include "lockstep/read.h"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "clocksync/record/clock_model_json.h"
#include "lockstep/record_fields.h"
#include "test/unit/analysis/run_directory.h"
#include "test/unit/durations.h"
#include "test/unit/temp_dir.h"

namespace lockstep {
namespace {

using analysis::operation_at;
using analysis::TestRun;

struct Closer {
  void operator()(lockstep_run* run) const { lockstep_close(run); }
  void operator()(lockstep_records* records) const { lockstep_close_records(records); }
};
using OpenRun = std::unique_ptr<lockstep_run, Closer>;
using Records = std::unique_ptr<lockstep_records, Closer>;

OpenRun open_run(const std::string& directory) {
  lockstep_run* run = nullptr;
  EXPECT_EQ(lockstep_open(directory.c_str(), &run), LOCKSTEP_OK) << lockstep_error();
  return OpenRun(run);
}

Records read(const OpenRun& run, size_t process = LOCKSTEP_ALL_PROCESSES) {
  lockstep_records* records = nullptr;
  EXPECT_EQ(lockstep_read_records(run.get(), process, &records), LOCKSTEP_OK) << lockstep_error();
  return Records(records);
}

// The next record; null at the end.
const lockstep_record* next(const Records& records) {
  const lockstep_record* record = nullptr;
  const lockstep_status status = lockstep_next(records.get(), &record);
  EXPECT_TRUE(status == LOCKSTEP_OK || (status == LOCKSTEP_END && record == nullptr));
  return record;
}

const lockstep_record* next(const Records& records, Kind kind) {
  const lockstep_record* record = next(records);
  while (record != nullptr &&
         (record->call != LOCKSTEP_CALL_START || record->kind != static_cast<int32_t>(kind)))
    record = next(records);
  return record;
}

uint64_t value(const lockstep_record* record, const char* name) {
  const int field = lockstep_find_field(record, name);
  EXPECT_GE(field, 0) << name;
  return lockstep_value(record, static_cast<size_t>(field));
}

std::string text(const lockstep_record* record, const char* name) {
  const char* found = lockstep_text(record, static_cast<size_t>(lockstep_find_field(record, name)));
  return found == nullptr ? "NULL" : found;
}

// Adds a rank of communicator "world" of two that called `operations` collectives.
void add_rank(TestRun* run, uint32_t rank, unsigned operations, const std::string& host) {
  const uint32_t pid = 100 + rank;
  driver::RankRecords records(1, 0xabc, static_cast<int32_t>(rank), 2, pid, &run->strings);
  records.init(1'000 * kMs);
  for (unsigned i = 0; i < operations; ++i) records.operation(operation_at(i, rank * 1'000));
  records.finalize(9'000 * kMs);
  run->add(pid, {&records.user}, host);
}

std::string first_segment(const std::string& directory, const std::string& host) {
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().filename().string().rfind(host + ".", 0) == 0) return entry.path();
  }
  return "";
}

TEST(Read, GivesEveryProcessAndItsRecordsInTimeOrder) {
  TestRun written;
  add_rank(&written, 0, 5, "a");
  add_rank(&written, 1, 5, "a");
  const OpenRun run = open_run(written.path());
  ASSERT_EQ(lockstep_process_count(run.get()), 2u);
  EXPECT_STREQ(lockstep_process_at(run.get(), 0)->host, "a");
  EXPECT_EQ(lockstep_process_at(run.get(), 1)->pid, 101u);
  EXPECT_STREQ(lockstep_process_at(run.get(), 1)->boot_id, "boot of a");
  EXPECT_NE(std::string(lockstep_process_at(run.get(), 0)->facts).find("\"pid\":100"),
            std::string::npos);
  EXPECT_EQ(lockstep_process_at(run.get(), 2), nullptr);

  const Records records = read(run);
  uint64_t before_ns = 0;
  unsigned collectives = 0;
  std::set<uint32_t> processes;
  while (const lockstep_record* record = next(records)) {
    EXPECT_GE(record->raw_ns, before_ns);
    before_ns = record->raw_ns;
    processes.insert(record->process);
    collectives += record->call == LOCKSTEP_CALL_START && record->kind == 1;
  }
  EXPECT_EQ(collectives, 10u);
  EXPECT_EQ(processes.size(), 2u);
  EXPECT_EQ(next(records), nullptr) << "the end is not the end";
  EXPECT_EQ(lockstep_damage_count(records.get()), 0u);
}

TEST(Read, GivesFieldsByNameWithUnitTypeAndText) {
  TestRun written;
  add_rank(&written, 1, 1, "a");
  const OpenRun run = open_run(written.path());
  const Records records = read(run);

  const lockstep_record* init = next(records);
  EXPECT_EQ(init->call, LOCKSTEP_CALL_COMM_INIT);
  EXPECT_EQ(init->kind, -1);
  EXPECT_EQ(init->id, 0u);
  EXPECT_EQ(text(init, "name"), "world");
  EXPECT_EQ(init->fields[lockstep_find_field(init, "comm_id")].type, LOCKSTEP_TYPE_ADDRESS);

  const lockstep_record* coll = next(records, Kind::Coll);
  EXPECT_EQ(value(coll, "count"), 16384u);
  EXPECT_EQ(text(coll, "func"), "AllReduce");
  EXPECT_EQ(lockstep_text(coll, 0), nullptr) << "an id is no text";
  EXPECT_EQ(coll->comm, 1u);
  EXPECT_EQ(coll->comm_id, 0xabcu);
  EXPECT_STREQ(coll->comm_name, "world");
  EXPECT_EQ(coll->rank, 1);
  EXPECT_EQ(coll->ranks, 2u);
  EXPECT_EQ(coll->state, -1);
  EXPECT_EQ(lockstep_value(coll, 0), coll->id);
  EXPECT_EQ(lockstep_find_field(coll, "chunk_size"), -1);
  EXPECT_EQ(lockstep_value(coll, coll->field_count), 0u) << "beyond the last field";

  size_t count = 0;
  const lockstep_field* fields =
      lockstep_fields(LOCKSTEP_CALL_START, lockstep_kind_number("ProxyOp"), &count);
  ASSERT_EQ(count, std::size(ProxyOpRecord::kFields));
  EXPECT_STREQ(fields[count - 1].name, "chunk_size");
  EXPECT_STREQ(fields[count - 1].unit, "bytes");
  fields = lockstep_fields(LOCKSTEP_CALL_START, lockstep_kind_number("KernelCh"), &count);
  EXPECT_STREQ(fields[count - 1].unit, "ns") << fields[count - 1].name;
}

TEST(Read, GivesNegativeNumbersAndMissingArgumentsAsSuch) {
  TestRun written;
  driver::RankRecords rank(1, 0xabc, 0, 1, 100, &written.strings);
  rank.init(kMs);
  uint64_t words[CollRecord::kWords] = {make_word0(start_tag(Kind::Coll), 2 * kMs)};
  CollRecord coll;
  coll.id = make_event_id(Kind::Coll, 1, 1);
  coll.root = -7;
  coll.write(words);
  rank.user.insert(rank.user.end(), std::begin(words), std::end(words));
  StateRecord state;
  state.id = coll.id;
  state.argument = kNoArgument;
  uint64_t more[StateRecord::kWords] = {make_word0(state_tag(kSendWait), 3 * kMs)};
  state.write(more);
  rank.user.insert(rank.user.end(), std::begin(more), std::end(more));
  written.add(100, rank);

  const OpenRun run = open_run(written.path());
  const Records records = read(run);
  const lockstep_record* record = next(records, Kind::Coll);
  EXPECT_EQ(static_cast<int64_t>(value(record, "root")), -7);
  EXPECT_EQ(text(record, "func"), "NULL");
  record = next(records);
  EXPECT_STREQ(lockstep_state_name(record->state), "SendWait");
  EXPECT_EQ(value(record, "argument"), LOCKSTEP_NO_ARGUMENT);
}

TEST(Read, KnowsNothingOfACommunicatorWhoseBeginningIsLost) {
  TestRun written;
  driver::RankRecords rank(1, 0xabc, 3, 8, 100, &written.strings);
  rank.operation(operation_at(0, 0));
  written.add(100, {&rank.user}, "a");
  const OpenRun run = open_run(written.path());
  const Records records = read(run);
  const lockstep_record* record = next(records, Kind::Coll);
  EXPECT_EQ(record->comm, 1u);
  EXPECT_EQ(record->rank, -1);
  EXPECT_EQ(record->ranks, 0u);
  EXPECT_EQ(record->comm_id, 0u);
  EXPECT_EQ(record->comm_name, nullptr);
}

TEST(Read, KnowsNoOtherKindsStatesAndCalls) {
  EXPECT_EQ(lockstep_read_version(), static_cast<uint32_t>(LOCKSTEP_READ_VERSION));
  EXPECT_EQ(lockstep_kind_number("Coll"), 1);
  EXPECT_EQ(lockstep_kind_number("coll"), -1);
  EXPECT_EQ(lockstep_kind_number(nullptr), -1);
  EXPECT_STREQ(lockstep_kind_name(15), "KernelPhase");
  EXPECT_EQ(lockstep_kind_name(16), nullptr);
  EXPECT_EQ(lockstep_kind_name(-1), nullptr);
  EXPECT_EQ(lockstep_state_name(32), nullptr);
  EXPECT_STREQ(lockstep_call_name(LOCKSTEP_CALL_COMM_INFO), "comm_info");
  EXPECT_STREQ(lockstep_call_name(LOCKSTEP_CALL_CAPTURE_STOP), "capture_stop");
  EXPECT_EQ(lockstep_call_name(static_cast<lockstep_call>(15)), nullptr);
  size_t count = 1;
  EXPECT_EQ(lockstep_fields(LOCKSTEP_CALL_STOP, 16, &count), nullptr);
  EXPECT_EQ(count, 0u);
}

TEST(Read, RefusesWhatIsNoRunWithASentence) {
  const TempDir empty;
  lockstep_run* run = nullptr;
  EXPECT_EQ(lockstep_open((empty / "").c_str(), &run), LOCKSTEP_UNREADABLE);
  EXPECT_EQ(run, nullptr);
  EXPECT_NE(std::string(lockstep_error()).find("no lockstep segments"), std::string::npos);
  EXPECT_EQ(lockstep_open((empty / "none").c_str(), &run), LOCKSTEP_UNREADABLE);
  EXPECT_EQ(std::string(lockstep_error()).rfind(empty / "none", 0), 0u) << lockstep_error();
  EXPECT_EQ(lockstep_open(nullptr, &run), LOCKSTEP_BAD_ARGUMENT);

  lockstep_records* records = nullptr;
  EXPECT_EQ(lockstep_read_records(nullptr, LOCKSTEP_ALL_PROCESSES, &records),
            LOCKSTEP_BAD_ARGUMENT);
  EXPECT_EQ(lockstep_process_count(nullptr), 0u);
  lockstep_close(nullptr);
  lockstep_close_records(nullptr);
}

TEST(Read, GoesOnBehindDamageAndTellsItsPlace) {
  TestRun written;
  add_rank(&written, 0, 50, "a");
  add_rank(&written, 1, 50, "b");
  const std::string file = first_segment(written.path(), "a");
  {
    std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(static_cast<std::streamoff>(std::filesystem::file_size(file) / 2));
    bytes.put('\xff').put('\xff');
  }
  std::ofstream(written.path() + "/c.1.0.lks") << "junk";

  const OpenRun run = open_run(written.path());
  const Records records = read(run);
  unsigned of_b = 0;
  while (const lockstep_record* record = next(records, Kind::Coll)) of_b += record->process == 1;
  EXPECT_EQ(of_b, 50u);
  const size_t count = lockstep_damage_count(records.get());
  ASSERT_GE(count, 2u);
  EXPECT_EQ(lockstep_damage_at(records.get(), count), nullptr);
  const lockstep_damage* foreign = lockstep_damage_at(records.get(), 0);
  EXPECT_EQ(foreign->file, written.path() + "/c.1.0.lks");
  const lockstep_damage* torn = lockstep_damage_at(records.get(), 1);
  EXPECT_EQ(torn->file, file);
  EXPECT_GT(torn->offset, 0u);
  EXPECT_GT(torn->bytes, 0u);
  EXPECT_NE(std::string(torn->sentence).find("at offset " + std::to_string(torn->offset)),
            std::string::npos);

  // One process alone tells of its own files only.
  const Records alone = read(run, 1);
  while (next(alone) != nullptr) {
  }
  EXPECT_EQ(lockstep_damage_count(alone.get()), 0u);
}

TEST(Read, MayBeClosedEarlyTheRunBeforeItsRecords) {
  TestRun written;
  add_rank(&written, 0, 50, "a");
  add_rank(&written, 1, 50, "a");
  OpenRun run = open_run(written.path());
  const Records records = read(run);
  for (int i = 0; i < 3; ++i) ASSERT_NE(next(records), nullptr);
  run.reset();
  EXPECT_NE(next(records, Kind::Coll), nullptr);
}

TEST(Read, ReadsOneProcessAndTwoRunsAtOnce) {
  TestRun one, other;
  add_rank(&one, 0, 3, "a");
  add_rank(&one, 1, 8, "a");
  add_rank(&other, 1, 5, "b");
  const OpenRun first = open_run(one.path()), second = open_run(other.path());
  const Records here = read(first, 1), there = read(second);
  unsigned in_first = 0, in_second = 0;
  for (bool more = true; more;) {
    const lockstep_record* a = next(here, Kind::Coll);
    if (a != nullptr) in_first += a->process == 1 && a->rank == 1 ? 1 : 100;
    const lockstep_record* b = next(there, Kind::Coll);
    if (b != nullptr) in_second += b->process == 0 && value(b, "count") == 16384 ? 1 : 100;
    more = a != nullptr || b != nullptr;
  }
  EXPECT_EQ(in_first, 8u);
  EXPECT_EQ(in_second, 5u);

  lockstep_records* none = nullptr;
  EXPECT_EQ(lockstep_read_records(first.get(), 2, &none), LOCKSTEP_BAD_ARGUMENT);
  EXPECT_EQ(none, nullptr);
}

TEST(Read, ConvertsTimesToWallClockAndCommonClockAsTheAnalysisDoes) {
  TestRun written;
  add_rank(&written, 0, 4, "a");
  add_rank(&written, 1, 4, "b");
  add_rank(&written, 2, 4, "c");
  const auto save = [&](const clocksync::ClockModel& model) {
    return clocksync::save_clock_model(model, written.path() + "/clock_model.json").ok();
  };
  lockstep_time time{};
  EXPECT_EQ(lockstep_common_time(open_run(written.path()).get(), 1, 1, &time), LOCKSTEP_NO_CLOCK);
  EXPECT_NE(std::string(lockstep_error()).find("lockstep align"), std::string::npos);

  clocksync::ClockModel model;
  model.reference = "a";
  model.hosts.resize(3);
  model.hosts[0] = {"a", 0, clocksync::OffsetSource::None, false, {{0, 0, 0, 0, false}}};
  model.hosts[1] = {"b",
                    0,
                    clocksync::OffsetSource::Probes,
                    false,
                    {{0, 5'000'000, 4'999'000, 5'002'000, false},
                     {20'000'000'000, 5'700'003, 5'699'003, 5'702'003, false}}};
  model.hosts[2] = {"c", 2, clocksync::OffsetSource::None, false, {{0, 0, 0, 0, false}}};
  ASSERT_TRUE(save(model));

  const auto analysed = written.load();
  std::set<int64_t> calls_of_b;
  for (const analysis::OperationRow& row : analysed->operations) {
    if (analysed->text(analysed->processes[row.process].host) == "b")
      calls_of_b.insert(row.api_start_ns);
  }
  const OpenRun run = open_run(written.path());
  const Records records = read(run, 1);
  unsigned compared = 0;
  while (const lockstep_record* record = next(records, Kind::CollApi)) {
    ASSERT_EQ(lockstep_common_time(run.get(), 1, record->raw_ns, &time), LOCKSTEP_OK);
    EXPECT_EQ(calls_of_b.count(time.ns), 1u) << time.ns;
    EXPECT_LT(time.ns, static_cast<int64_t>(record->raw_ns) - 5'000'000);
    EXPECT_LE(time.lo_ns, time.ns - 1'998);
    EXPECT_GE(time.hi_ns, time.ns + 998);
    EXPECT_EQ(lockstep_wall_ns(record), 1'700'000'000'000'000'000 + record->raw_ns);
    ++compared;
  }
  EXPECT_EQ(compared, 4u);

  EXPECT_EQ(lockstep_common_time(run.get(), 2, 1, &time), LOCKSTEP_NO_CLOCK);
  EXPECT_EQ(std::string(lockstep_error()).rfind("c: nothing connects", 0), 0u) << lockstep_error();
  EXPECT_EQ(lockstep_common_time(run.get(), 3, 1, &time), LOCKSTEP_BAD_ARGUMENT);
  model.hosts.pop_back();
  ASSERT_TRUE(save(model));
  EXPECT_EQ(lockstep_common_time(open_run(written.path()).get(), 2, 1, &time), LOCKSTEP_NO_CLOCK);
  EXPECT_NE(std::string(lockstep_error()).find("knows no host c"), std::string::npos);
}

}  // namespace
}  // namespace lockstep
