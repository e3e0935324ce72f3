#include "analysis/join/process_load.h"

#include "test/unit/analysis/run_directory.h"

namespace lockstep::analysis {
namespace {

constexpr uint64_t kFromNs = 1'040 * kMs, kToNs = 1'140 * kMs;

std::unique_ptr<LoadedProcess> load_span_of(const TestRun& run, bool about) {
  auto opened = dumper::RunDirectory::open(run.path());
  EXPECT_TRUE(opened.ok()) << opened.message();
  ProcessTerms terms;
  terms.about = about;
  return load_process(opened.value().processes.front(), {kFromNs, kToNs}, {}, terms);
}

TEST(LoadedSpan, IsReadWithWhatLiesAroundItUnlessOnlyItsSizeMatters) {
  TestRun run;
  driver::RankRecords records(1, 0xc0, 0, 1, 10, &run.strings);
  records.init(1'000 * kMs);
  for (unsigned i = 0; i < 40; ++i) {
    driver::RankOperation op = operation_at(i, 0);
    op.call_ns = (1'001 + 10 * i) * kMs;
    op.kernel_ns = op.call_ns + kMs;
    op.finish_ns = op.call_ns + 2 * kMs;
    records.operation(op);
  }
  run.add(10, records);
  const auto exact = load_span_of(run, false), about = load_span_of(run, true);
  EXPECT_LT(exact->row.read_to_raw_ns, ~uint64_t{0});
  EXPECT_GT(exact->row.read_to_raw_ns, kToNs);
  EXPECT_EQ(about->row.read_to_raw_ns, kToNs);
  EXPECT_EQ(exact->joined.rows.size(), 10u);
  EXPECT_EQ(about->joined.rows.size(), 10u);
}

}  // namespace
}  // namespace lockstep::analysis
