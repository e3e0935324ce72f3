// How long an operation must have stood still before that is no pause as others were.
#include "analysis/waits/stalls.h"

#include "test/unit/analysis/judge/judged.h"

namespace lockstep::analysis {
namespace {

// Two ranks call 20 operations at once, which their GPUs take half a second each to come to and 5 ms to do.
// All ranks are inside the last, which never ends; the last sign of life is 12 s later.
TEST(Stalls, AreMeasuredByWhatGpusTakeAndNotByHowFarAheadRanksCall) {
  constexpr unsigned kCalls = 20;
  TestRun run;
  for (int32_t rank = 0; rank < 2; ++rank) {
    driver::RankRecords records = rank_of(&run, 1, 0xc0, rank, 2);
    for (unsigned i = 0; i < kCalls; ++i) {
      driver::RankOperation op;
      op.sequence = i;
      op.call_ns = 2'000 * kMs + i * kMs;
      op.kernel_ns = 2'100 * kMs + i * 500 * kMs;
      op.finish_ns = i + 1 < kCalls ? op.kernel_ns + 5 * kMs : 0;
      records.operation(op);
    }
    run.add(static_cast<uint32_t>(10 + rank), {&records.user, &records.proxy}, "test");
  }
  auto tables = run.load();
  for (ProcessRow& process : tables->processes) {
    process.life = Life::Dead;
    process.heard_ns = process.last_ns + 12'000 * static_cast<int64_t>(kMs);
  }
  const Judged judged(std::move(tables));
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_NE(judged.text().find("AllReduce #19 on world"), std::string::npos) << judged.text();
}

}  // namespace
}  // namespace lockstep::analysis
