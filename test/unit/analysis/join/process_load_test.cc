#include "analysis/join/process_load.h"

#include "test/unit/analysis/run_directory.h"

namespace lockstep::analysis {
namespace {

constexpr uint64_t kFromNs = 1'040 * kMs, kToNs = 1'140 * kMs;

std::unique_ptr<LoadedProcess> load_span_of(const TestRun& run, dumper::RawSpan span,
                                            const ProcessTerms& terms) {
  auto opened = dumper::RunDirectory::open(run.path());
  EXPECT_TRUE(opened.ok()) << opened.message();
  return load_process(opened.value().processes.front(), span, {}, terms);
}

ProcessTerms about_only() {
  ProcessTerms terms;
  terms.about = true;
  return terms;
}

// From the ninth to the thirteenth second, a second of which at either end is context.
std::unique_ptr<LoadedProcess> load_with_context(const TestRun& run) {
  ProcessTerms terms;
  terms.context_ns = 1'000 * kMs;
  return load_span_of(run, {9'000 * kMs, 13'000 * kMs}, terms);
}

// One operation that was called long before and ends then, in chunks of their own.
void add_long_operation(TestRun* run, uint64_t finish_ns) {
  driver::RankRecords records(1, 0xc0, 0, 1, 10, &run->strings);
  records.init(1'000 * kMs);
  driver::RankOperation op = operation_at(0, 0);
  op.kernel_ns = 8'950 * kMs;
  op.finish_ns = finish_ns;
  records.operation(op);
  run->add(10, records);
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
  const auto exact = load_span_of(run, {kFromNs, kToNs}, {}),
             about = load_span_of(run, {kFromNs, kToNs}, about_only());
  EXPECT_LT(exact->row.read_to_raw_ns, ~uint64_t{0});
  EXPECT_GT(exact->row.read_to_raw_ns, kToNs);
  EXPECT_EQ(about->row.read_to_raw_ns, kToNs);
  EXPECT_EQ(exact->joined.rows.size(), 10u);
  EXPECT_EQ(about->joined.rows.size(), 10u);
}

TEST(LoadedSpan, IsReadFurtherBackForWhatReachesBeyondItsContext) {
  TestRun run;
  add_long_operation(&run, 10'500 * kMs);
  const auto loaded = load_with_context(run);
  EXPECT_EQ(loaded->row.read_from_raw_ns, 0u);
  ASSERT_EQ(loaded->joined.rows.size(), 1u);
  EXPECT_EQ(loaded->joined.rows.front().enqueue_ns, int64_t(2'000 * kMs + 800));
}

TEST(LoadedSpan, IsReadNoFurtherBackForWhatEndsInItsContext) {
  TestRun run;
  add_long_operation(&run, 9'500 * kMs);
  const auto loaded = load_with_context(run);
  EXPECT_EQ(loaded->row.read_from_raw_ns, 9'000 * kMs);
  EXPECT_EQ(loaded->row.read_to_raw_ns, 13'000 * kMs);
  EXPECT_GT(loaded->joined.orphans, 0u);
}

}  // namespace
}  // namespace lockstep::analysis
