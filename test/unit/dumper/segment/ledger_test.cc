// The ledger's counts, and the ticks of a chunk, as they come back from a file.
#include "dumper/segment/ledger.h"

#include <gtest/gtest.h>

#include "test/unit/dumper/segment/samples.h"

namespace lockstep::dumper {
namespace {

TEST(Counts, ComeBackAsTheyWerePacked) {
  Counts counts, again;
  std::mt19937_64 random(4);
  for (int i = 0; i < 5000; ++i) {
    counts.add(make_count_key(static_cast<uint32_t>(random() % (kLastComm + 1)),
                              static_cast<unsigned>(random() % (kKinds + 1)), Call::Stop),
               random() >> (random() % 64));
  }
  again.add_packed(counts.pack());

  EXPECT_TRUE(again == counts);
  EXPECT_TRUE(Counts().pack().empty());
}

TEST(Ledger, ComesBackAsItWas) {
  Ledger ledger;
  ledger.raw_ns = 5;
  ledger.add_loss(7, 4, Call::State, Loss::Folded, 1'000'000'000'000);
  ledger.add_loss(0, kUnknownKind, Call::Start, Loss::Unknown, 3);
  ledger.calls_without_block[call_cell(2, Call::Stop)] = 9;
  ledger.in_progress[call_cell(1, Call::Start)] = 1;
  ledger.first_segment = 4;
  ledger.exited = true;
  ledger.shed_from_raw_ns = 11;
  ledger.shed_to_raw_ns = 12;
  ledger.init_ns = 13;
  ledger.notes = {"a \"note\""};
  ledger.unknown_kinds = {{15, 3}, {kUnknownNumbers - 1, 1'000'000'000'000}};
  ledger.unknown_states = {{31, 2}};

  const auto back = ledger_from_json(ledger_to_json(ledger));

  ASSERT_TRUE(back.ok()) << back.message();
  EXPECT_EQ(back.value().losses, ledger.losses);
  EXPECT_EQ(back.value().calls_without_block, ledger.calls_without_block);
  EXPECT_EQ(back.value().in_progress, ledger.in_progress);
  EXPECT_EQ(back.value().first_segment, 4u);
  EXPECT_TRUE(back.value().exited);
  EXPECT_FALSE(back.value().recovered);
  EXPECT_EQ(back.value().shed_from_raw_ns, 11u);
  EXPECT_EQ(back.value().shed_to_raw_ns, 12u);
  EXPECT_EQ(back.value().init_ns, 13u);
  EXPECT_EQ(back.value().notes, ledger.notes);
  EXPECT_EQ(back.value().unknown_kinds, ledger.unknown_kinds);
  EXPECT_EQ(back.value().unknown_states, ledger.unknown_states);
}

TEST(Ledger, RefusesWhatIsNoLedger) {
  for (const char* wrong :
       {"", "[]", "{\"losses\":3}", "{\"losses\":[[1,\"Coll\",\"starts\",\"memory\"]]}",
        "{\"losses\":[[1,\"Call\",\"starts\",\"memory\",1]]}", "{\"in_progress\":{\"Coll\":[1]}}",
        "{\"unknown_kinds\":{\"bit\":1}}", "{\"unknown_kinds\":{\"65\":1}}",
        "{\"unknown_states\":[]}"}) {
    EXPECT_FALSE(ledger_from_json(wrong).ok()) << wrong;
  }
}

TEST(ChunkClock, ConvertsPiecewiseBetweenAnchors) {
  const Anchor anchors[] = {{0, 1000, 5000, 0}, {100, 1050, 5050, 0}, {200, 1250, 4250, 0}};
  const ChunkClock clock(anchors, 3);

  EXPECT_EQ(clock.raw_ns(0), 1000u);
  EXPECT_EQ(clock.raw_ns(50), 1025u);
  EXPECT_EQ(clock.raw_ns(150), 1150u);
  EXPECT_EQ(clock.raw_ns(300), 1375u);   // at the rate from the first to the last
  EXPECT_EQ(clock.real_ns(300), 3450u);  // the last stretch goes on
  EXPECT_EQ(clock.real_ns(150), 4650u);  // REALTIME was set back
}

TEST(ChunkClock, SaysTheSameToWhoAsksForOneInstantAfterTheOther) {
  const Anchor anchors[] = {{10, 1000, 0, 0}, {20, 1100, 0, 0}, {40, 1110, 0, 0}, {41, 1900, 0, 0}};
  for (const size_t count : {0u, 1u, 2u, 4u}) {
    const ChunkClock clock(anchors, count);
    ChunkClock::Ascending times(clock);
    for (const uint64_t ticks : {12u, 15u, 20u, 39u, 40u, 41u, 99u, 3u, 0u, 41u, 40u, 10u, 9u})
      EXPECT_EQ(times.raw_ns(ticks), clock.raw_ns(ticks)) << count << " " << ticks;
    for (const uint64_t ticks : {~uint64_t{0}, uint64_t{1} << 63, uint64_t{1} << 56, uint64_t{0}})
      EXPECT_EQ(times.raw_ns(ticks), clock.raw_ns(ticks)) << count << " " << ticks;
  }
}

TEST(ChunkClock, SaysTheSameOfInstantsThatAreTooFarAway) {
  const Anchor anchors[] = {{10, 1000, 0, 0}, {11, uint64_t{1} << 60, 0, 0}};
  const ChunkClock clock(anchors, 2);
  ChunkClock::Ascending times(clock);
  for (const uint64_t ticks : {0u, 10u, 11u, 12u, 20u, 4'000'000'000u})
    EXPECT_EQ(times.raw_ns(ticks), clock.raw_ns(ticks)) << ticks;
}

TEST(ChunkClock, TakesTicksForNanosecondsWithOneAnchor) {
  const Anchor anchor{10, 1000, 5000, 0};

  EXPECT_EQ(ChunkClock(&anchor, 1).raw_ns(15), 1005u);
  EXPECT_EQ(ChunkClock(&anchor, 1).raw_ns(5), 995u);
}

TEST(ChunkClock, SurvivesAnchorsThatMakeNoSense) {
  const Anchor anchors[] = {
      {5, ~uint64_t{0}, 0, 0}, {5, 1, 1, 1}, {6, ~uint64_t{0} - 1, 0, 0}, {~uint64_t{0}, 7, 7, 7}};
  const ChunkClock clock(anchors, 4);
  for (uint64_t ticks : {uint64_t{0}, uint64_t{5}, uint64_t{1} << 55, ~uint64_t{0} >> 8})
    clock.raw_ns(ticks);
}

}  // namespace
}  // namespace lockstep::dumper
