#include "analysis/pyramid/span_search.h"

#include <gtest/gtest.h>

#include <random>

namespace lockstep::analysis {
namespace {

TimeSpans found(const SpanSearch& search, int64_t from_ns, int64_t to_ns) {
  TimeSpans all;
  search.each(from_ns, to_ns, [&](const TimeSpan& span) { all.push_back(span); });
  return all;
}

TEST(SpanSearch, FindsWhatTouchesATimeAndNothingElse) {
  std::mt19937_64 random(7);
  for (const size_t count : {0u, 1u, 15u, 16u, 17u, 250u, 1000u}) {
    TimeSpans spans;
    int64_t at_ns = 0;
    for (size_t i = 0; i < count; ++i) {
      at_ns += static_cast<int64_t>(random() % 20);
      const int64_t most = i % 50 == 0 ? 3000 : 40;
      spans.push_back(
          {at_ns, at_ns + 1 + static_cast<int64_t>(random() % static_cast<uint64_t>(most))});
    }
    const SpanSearch search(spans);
    for (int64_t from_ns = -10; from_ns < at_ns + 50; from_ns += 1 + at_ns / 100) {
      const int64_t to_ns = from_ns + 1 + static_cast<int64_t>(random() % 100);
      TimeSpans expected;
      for (const TimeSpan& span : spans)
        if (span.from_ns < to_ns && span.to_ns > from_ns) expected.push_back(span);
      const TimeSpans is = found(search, from_ns, to_ns);
      ASSERT_EQ(is.size(), expected.size()) << count << " spans, from " << from_ns;
      for (size_t i = 0; i < is.size(); ++i) {
        EXPECT_EQ(is[i].from_ns, expected[i].from_ns);
        EXPECT_EQ(is[i].to_ns, expected[i].to_ns);
      }
    }
  }
}

TEST(SpanSearch, LooksAtFewOfAMillionAlsoBeneathOneThatLastsForEver) {
  TimeSpans spans = {{0, 1'000'000'000}};
  for (int64_t i = 0; i < 1'000'000; ++i) spans.push_back({i * 1000, i * 1000 + 100});
  const SpanSearch search(std::move(spans));
  for (const int64_t from_ns : {int64_t{0}, int64_t{500'000'000}, int64_t{999'990'000}}) {
    size_t hits = 0;
    const size_t looked = search.each(from_ns, from_ns + 10'000, [&](const TimeSpan&) { ++hits; });
    EXPECT_EQ(hits, 11u);
    EXPECT_LT(looked, 150u);
  }
}

}  // namespace
}  // namespace lockstep::analysis
