#include "live/questions/slice_request.h"

#include <gtest/gtest.h>

#include <limits>

namespace lockstep::live {
namespace {

using dumper::Instant;

TEST(SliceRequest, ArrivesAsItWasSent) {
  SliceRequest sent;
  sent.selection.from = Instant{Instant::Since::Epoch, 1'700'000'000'000'000'001};
  sent.selection.to = Instant{Instant::Since::RunStart, 90'000'000'000};
  sent.selection.ranks = {{0, 3}, {8, 8}};
  sent.selection.pid = 4711;
  sent.max_bytes = 12345;
  sent.host_load = false;
  sent.only_ranks.emplace(-5, 9);
  sent.kinds = 5;
  sent.rows_from_ns = 732'239'477'000'000'001;
  sent.rows_to_ns = 732'239'477'000'000'009;

  const auto got = parse_slice_request(to_json(sent));

  ASSERT_TRUE(got.ok()) << got.message();
  const dumper::Selection& selection = got.value().selection;
  EXPECT_FALSE(selection.last_ns);
  ASSERT_TRUE(selection.from && selection.to);
  EXPECT_EQ(selection.from->since, Instant::Since::Epoch);
  EXPECT_EQ(selection.from->ns, 1'700'000'000'000'000'001);
  EXPECT_EQ(selection.to->since, Instant::Since::RunStart);
  EXPECT_EQ(selection.to->ns, 90'000'000'000);
  EXPECT_EQ(selection.ranks, sent.selection.ranks);
  EXPECT_EQ(selection.pid, 4711u);
  EXPECT_EQ(got.value().max_bytes, 12345u);
  EXPECT_FALSE(got.value().host_load);
  EXPECT_EQ(got.value().only_ranks, sent.only_ranks);
  EXPECT_EQ(got.value().kinds, 5u);
  EXPECT_EQ(got.value().rows_from_ns, sent.rows_from_ns);
  EXPECT_EQ(got.value().rows_to_ns, sent.rows_to_ns);
}

TEST(SliceRequest, IsForEverythingUnlessItSaysMore) {
  const auto got = parse_slice_request(R"({"max_bytes": 7})");

  ASSERT_TRUE(got.ok()) << got.message();
  EXPECT_TRUE(got.value().host_load);
  EXPECT_FALSE(got.value().only_ranks);
  EXPECT_EQ(got.value().kinds, dumper::kAllKinds);
  EXPECT_FALSE(got.value().rows_from_ns);
}

TEST(SliceRequest, ThatIsNoneIsRefused) { EXPECT_FALSE(parse_slice_request("[1]").ok()); }

SliceRow row_of(const std::string& host, uint64_t uid, uint64_t from_ns, int64_t last_real_ns) {
  SliceRow row;
  row.host = host;
  row.pid = static_cast<uint32_t>(uid);
  row.uid = uid;
  row.span = {from_ns, ~uint64_t{0}};
  row.last_real_ns = last_real_ns;
  return row;
}

TEST(SliceRows, ArriveAsTheyWereSent) {
  SliceRow sent = row_of("a", ~uint64_t{0} - 5, 17, 1'700);
  sent.has_shared = true;
  const auto rows = parse_slice_rows(to_json({sent, row_of("a", 4, 17, 1'700)}));

  ASSERT_EQ(rows.size(), 2u);
  EXPECT_TRUE(rows[0].has_shared);
  EXPECT_FALSE(rows[1].has_shared);
  EXPECT_EQ(rows[0].host, "a");
  EXPECT_EQ(rows[0].uid, ~uint64_t{0} - 5);
  EXPECT_EQ(rows[0].span.from_ns, 17u);
  EXPECT_EQ(rows[0].span.to_ns, ~uint64_t{0});
  EXPECT_EQ(rows[0].last_real_ns, 1'700);
}

// The difference of two such instants would be no number of nanoseconds.
TEST(SliceRows, ThatEndedBefore1970AreLeftOut) {
  constexpr int64_t kLatest = std::numeric_limits<int64_t>::max();
  const auto rows =
      parse_slice_rows(to_json({row_of("a", 1, 5, kLatest), row_of("b", 2, 5, -kLatest)}));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].host, "a");
}

// Host b fell silent 400 ns before the run's last record: of its own last 1,000 ns only 600 are of the
// run's.
TEST(SliceRows, OfTheLastPartBeginTogetherOnAllHosts) {
  SliceRequest request;
  request.selection.last_ns = 1'000;

  const auto selection = selection_of(
      request,
      {row_of("a", 1, 5'000, 90'000), row_of("a", 2, 5'000, 89'500), row_of("b", 3, 70, 89'600)});

  ASSERT_TRUE(selection.chosen);
  EXPECT_EQ(selection.chosen->at(1).from_ns, 5'000u);
  EXPECT_EQ(selection.chosen->at(2).from_ns, 5'000u);
  EXPECT_EQ(selection.chosen->at(3).from_ns, 470u);
}

}  // namespace
}  // namespace lockstep::live
