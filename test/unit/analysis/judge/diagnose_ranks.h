// Ranks of a run whose operations a test lays out by hand.
#pragma once

#include "analysis/judge/diagnose.h"
#include "clocksync/record/clock_model.h"
#include "test/unit/analysis/run_directory.h"

namespace lockstep::analysis {

constexpr unsigned kOperations = 20;

inline driver::RankRecords rank_of(TestRun* run, uint32_t comm, uint64_t id, int32_t rank,
                                   int32_t ranks) {
  driver::RankRecords records(comm, id, rank, ranks, static_cast<uint32_t>(10 + rank),
                              &run->strings);
  records.init(1'000 * kMs);
  return records;
}

inline driver::RankOperation open_at(unsigned i) {
  driver::RankOperation op = operation_at(i, 0);
  op.finish_ns = 0;
  return op;
}

// Diagnoses `operations` of `ranks` ranks, `per_host` to each host a, b, ..., whose clocks agree to
// 1 us; operation(rank, i) is what a rank does as its i-th.
template <class Operation>
Diagnosis diagnose_hosts(int32_t ranks, int32_t per_host, unsigned operations,
                         const Operation& operation) {
  TestRun run;
  clocksync::ClockModel model;
  model.reference = "a";
  for (int32_t rank = 0; rank < ranks; ++rank) {
    driver::RankRecords records = rank_of(&run, 1, 0xc0, rank, ranks);
    for (unsigned i = 0; i < operations; ++i) records.operation(operation(rank, i));
    const std::string host(1, static_cast<char>('a' + rank / per_host));
    run.add(static_cast<uint32_t>(10 + rank), {&records.proxy, &records.user}, host);
    if (rank % per_host != 0) continue;
    clocksync::HostModel& one = model.hosts.emplace_back();
    one.host = host;
    one.source = clocksync::OffsetSource::Probes;
    one.knots = {{0, 0, -500, 500}, {static_cast<int64_t>(run.end_ns), 0, -500, 500}};
  }
  EXPECT_TRUE(model.save(run.path() + "/" + clocksync::kClockModelFile).ok());
  return diagnose(*run.load());
}

inline std::string all_text(const Diagnosis& diagnosis) {
  std::string text;
  for (const Finding& finding : diagnosis.findings) text += finding.text + "\n";
  for (const std::string& line : diagnosis.not_known) text += line + "\n";
  return text;
}

}  // namespace lockstep::analysis
