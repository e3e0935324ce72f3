// Ranks of a run whose operations a test lays out by hand.
#pragma once

#include <algorithm>

#include "analysis/judge/judge.h"
#include "analysis/judge/places.h"
#include "analysis/say/findings.h"
#include "analysis/say/not_known.h"
#include "clocksync/record/clock_model_json.h"
#include "test/unit/analysis/run_directory.h"

namespace lockstep::analysis {

constexpr unsigned kOperations = 20;

// A run and what was judged of it, in words too.
struct Judged {
  std::unique_ptr<RunTables> run;
  std::vector<Finding> findings;
  std::vector<NotKnown> not_known;

  explicit Judged(std::unique_ptr<RunTables> tables) : run(std::move(tables)) {
    Judgement judgement = judge(*run);
    findings = std::move(judgement.findings);
    not_known = std::move(judgement.not_known);
  }
  std::string text(size_t finding = 0) const {
    return finding < findings.size() ? sentence(*run, findings[finding]) : "no such finding";
  }
};

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
// Enqueued; its kernel cannot begin.
inline driver::RankOperation queued(driver::RankOperation op) {
  op.channels = 0;
  return op;
}

// Hosts a, b, ... have `per_host` ranks each.
inline std::string host_of(int32_t rank, int32_t per_host) {
  return std::string(1, static_cast<char>('a' + rank / per_host));
}

// Puts the hosts of a run on one clock, exact to 1 us.
inline void align_hosts(const TestRun& run, int32_t ranks, int32_t per_host) {
  clocksync::ClockModel model;
  model.reference = "a";
  for (int32_t rank = 0; rank < ranks; rank += per_host) {
    clocksync::HostModel& one = model.hosts.emplace_back();
    one.host = host_of(rank, per_host);
    one.source = clocksync::OffsetSource::Probes;
    one.knots = {{0, 0, -500, 500}, {static_cast<int64_t>(run.end_ns), 0, -500, 500}};
  }
  EXPECT_TRUE(
      clocksync::save_clock_model(model, run.path() + "/" + clocksync::kClockModelFile).ok());
}

// The same run, of hosts whose clocks may be so far apart.
inline Judged with_clocks_apart(Judged judged, int64_t error_ns) {
  for (ArrivalRow& row : judged.run->arrivals) {
    if (row.clock_error_ns != 0) row.clock_error_ns = error_ns;
  }
  return Judged(std::move(judged.run));
}

// Ranks 0 and 1 of three wait for rank 2, which was not recorded.
inline Judged judged_without_rank_2() {
  TestRun run;
  for (int32_t rank = 0; rank < 2; ++rank) {
    driver::RankRecords records = rank_of(&run, 1, 0xc0, rank, 3);
    for (unsigned i = 0; i < kOperations; ++i) records.operation(operation_at(i, 0));
    records.operation(open_at(kOperations));
    run.add(static_cast<uint32_t>(10 + rank), records);
  }
  return Judged(run.load());
}

// Judges `operations` of `ranks` ranks, `per_host` to each host; operation(rank, i) is what a rank does
// as its i-th.
template <class Operation>
Judged diagnose_hosts(int32_t ranks, int32_t per_host, unsigned operations,
                      const Operation& operation) {
  TestRun run;
  for (int32_t rank = 0; rank < ranks; ++rank) {
    driver::RankRecords records = rank_of(&run, 1, 0xc0, rank, ranks);
    for (unsigned i = 0; i < operations; ++i) records.operation(operation(rank, i));
    run.add(static_cast<uint32_t>(10 + rank), {&records.proxy, &records.user},
            host_of(rank, per_host));
  }
  align_hosts(run, ranks, per_host);
  return Judged(run.load());
}

using Ranks = std::vector<int32_t>;

inline Ranks world_ranks(const Judged& judged, size_t finding = 0) {
  Ranks ranks;
  if (finding >= judged.findings.size()) return ranks;
  for (const Place& place : culprits_of(*judged.run, judged.findings[finding]))
    ranks.push_back(place.world_rank);
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

inline std::string all_text(const Judged& judged) {
  std::string text;
  for (const Finding& finding : judged.findings) text += sentence(*judged.run, finding) + "\n";
  for (const NotKnown& gap : judged.not_known) text += sentence(*judged.run, gap) + "\n";
  return text;
}

}  // namespace lockstep::analysis
