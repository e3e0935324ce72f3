#include "dumper/feeds/comm_progress.h"

#include <gtest/gtest.h>

#include <memory>

#include "lockstep/kind_mask.h"
#include "lockstep/record_fields.h"
#include "test/unit/durations.h"

namespace lockstep::dumper {
namespace {

constexpr uint32_t kWatchedComm = 1;
constexpr uint16_t kAllReduce = 5, kSend = 6, kFloat = 7;

class NoStrings : public StringSource {
 public:
  std::string_view text(unsigned number) const override {
    return number == kFloat ? "ncclFloat32" : "world";
  }
};

// Records as the adapters write them; ticks are nanoseconds here.
struct Process {
  Overhead overhead;
  CommProgress progress{overhead};
  NoStrings strings;
  std::unique_ptr<ArenaHeader> arena = std::make_unique<ArenaHeader>();
  uint64_t serial = 1;

  template <typename Record>
  EventId put(Record record, uint64_t ticks) {
    uint64_t words[kMaxWords] = {make_word0(kTagOf<Record>, ticks)};
    record.write(words);
    give(words, Record::kWords);
    return words[1];
  }
  void give(const uint64_t* words, unsigned count) {
    Piece piece;
    piece.words = words;
    piece.bytes = count * 8;
    progress.take(piece, strings);
  }
  Process() {
    CommInitRecord init;
    init.comm = kWatchedComm;
    init.comm_id = 0xfeed;
    init.name = kFirstString;
    init.rank = 3;
    init.ranks = 8;
    init.abi_version = 6;
    put(init, 1);
  }
  EventId next(Kind kind) { return make_event_id(kind, kWatchedComm, serial++); }
  EventId group(uint64_t ticks) {
    GroupApiRecord record;
    record.id = next(Kind::GroupApi);
    return put(record, ticks);
  }
  EventId call(uint64_t ticks, EventId in_group = 0, bool captured = false) {
    CollApiRecord record;
    record.id = next(Kind::CollApi);
    record.parent = in_group;
    record.func = kAllReduce;
    record.graph_captured = captured;
    return put(record, ticks);
  }
  EventId coll(uint64_t ticks, EventId call, uint64_t sequence, EventId id = 0) {
    CollRecord record;
    record.id = id != 0 ? id : next(Kind::Coll);
    record.parent = call;
    record.channels = 2;
    record.seq_number = sequence;
    record.count = 100;
    record.datatype = kFloat;
    record.func = kAllReduce;
    return put(record, ticks);
  }
  EventId send(uint64_t ticks, int32_t peer) {
    P2pRecord record;
    record.id = next(Kind::P2p);
    record.channels = 1;
    record.event_rank = 3;
    record.func = kSend;
    record.peer = peer;
    return put(record, ticks);
  }
  EventId kernel(EventId parent, uint64_t ticks) {
    KernelChRecord record;
    record.id = next(Kind::KernelCh);
    record.parent = parent;
    return put(record, ticks);
  }
  void stop(EventId id, uint64_t ticks) {
    const uint64_t words[] = {make_word0(stop_tag(kind_of(id)), ticks), id};
    give(words, 2);
  }
  // An operation of two channels from its call to its kernel's end, 100 ns later.
  void whole(uint64_t ticks, uint64_t sequence) {
    const EventId api = call(ticks), launch = coll(ticks + 10, api, sequence);
    stop(launch, ticks + 20);
    stop(api, ticks + 30);
    const EventId first = kernel(launch, ticks + 40), second = kernel(launch, ticks + 50);
    stop(first, ticks + 90);
    stop(second, ticks + 100);
  }
  CommStanding after_round(uint64_t ticks) {
    Round round;
    round.complete_ticks = ticks;
    round.now = {ticks, ticks, ticks, ticks};
    round.arena = arena.get();
    round.strings = &strings;
    progress.end_round(round);
    const auto comms = progress.snapshot().comms;
    return comms.size() == 1 ? comms[0] : CommStanding();
  }
};

TEST(CommProgress, SaysWhatWasIssuedStartedAndEndedLast) {
  Process p;
  p.whole(100, 0);
  const EventId api = p.call(1000), launch = p.coll(1010, api, 1);
  p.stop(launch, 1020);
  p.stop(api, 1030);
  p.kernel(launch, 1040);
  p.stop(p.call(2000), 2010);

  const CommStanding standing = p.after_round(3000);
  EXPECT_EQ(standing.facts.id, 0xfeedu);
  EXPECT_EQ(standing.facts.name, "world");
  EXPECT_EQ(standing.facts.rank, 3u);
  EXPECT_EQ(standing.issued.ordinal, 2);
  EXPECT_EQ(standing.issued.collectives, 3u);
  EXPECT_EQ(standing.issued.ticks, 2000u);
  EXPECT_EQ(standing.started.ordinal, 1);
  EXPECT_EQ(standing.started.ticks, 1040u);
  EXPECT_EQ(standing.ended.ordinal, 0);
  EXPECT_EQ(standing.ended.ticks, 200u);
}

TEST(CommProgress, AddsUpTheBytesOfWhatHasEnded) {
  Process p;
  p.whole(100, 0);
  p.whole(1000, 1);
  p.coll(2010, p.call(2000), 2);
  EXPECT_EQ(p.after_round(3000).ended_operations, 2u);
  EXPECT_EQ(p.after_round(3000).ended_bytes, 800u);
}

TEST(CommProgress, TheOldestOperationInFlightStaysHoweverLongItHangs) {
  Process p;
  p.whole(100, 0);
  const EventId api = p.call(1000), launch = p.coll(1010, api, 1);
  p.stop(launch, 1020);
  p.stop(api, 1030);
  p.kernel(launch, 1040);
  const EventId later = p.coll(1110, p.call(1100), 2);
  p.stop(later, 1120);

  const CommStanding standing = p.after_round(3600000 * kMs);
  EXPECT_EQ(standing.in_flight, 2u);
  EXPECT_EQ(standing.waiting.ordinal, 1);
  EXPECT_EQ(standing.waiting.ticks, 1000u);
  EXPECT_EQ(standing.waiting_started, 1040u);
  EXPECT_EQ(standing.waiting_kernels, 1u);
}

TEST(CommProgress, AChildMayComeARoundBeforeItsParent) {
  Process p;
  const EventId launch = make_event_id(Kind::Coll, kWatchedComm, 77);
  const EventId first = p.kernel(launch, 120), second = p.kernel(launch, 130);
  p.stop(first, 140);
  EXPECT_EQ(p.after_round(90).in_flight, 0u);
  p.coll(110, p.call(100), 0, launch);
  p.stop(launch, 115);
  EXPECT_EQ(p.after_round(150).in_flight, 1u);
  EXPECT_EQ(p.after_round(150).started.ticks, 120u);
  p.stop(second, 200);
  EXPECT_EQ(p.after_round(300).ended.ordinal, 0);
  EXPECT_EQ(p.after_round(300).ended.ticks, 200u);
}

TEST(CommProgress, ALaunchMayBeDrainedBeforeItsCallAndIsCountedOnce) {
  Process p;
  const EventId api = make_event_id(Kind::CollApi, kWatchedComm, 500);
  const EventId launch = p.coll(110, api, 0);
  p.stop(launch, 120);
  CollApiRecord late;
  late.id = api;
  late.func = kAllReduce;
  p.put(late, 100);
  p.whole(1000, 1);
  EXPECT_EQ(p.after_round(2000).issued.ordinal, 1);
  EXPECT_EQ(p.after_round(2000).issued.collectives, 2u);
}

TEST(CommProgress, TwoThreadsThatCallInTurnAreNumberedByTime) {
  Process p;
  for (uint64_t step = 0; step < 3; ++step) {
    const uint64_t at = 1000 * step;
    const EventId last = p.call(at + 900);  // this thread's records are drained first
    p.coll(at + 910, last, 5 * step + 4);
    for (uint64_t i = 0; i < 4; ++i)
      p.coll(at + 200 + 100 * i + 10, p.call(at + 200 + 100 * i), 5 * step + i);
    const CommStanding standing = p.after_round(at + 1000);
    EXPECT_EQ(standing.issued.ordinal, static_cast<int64_t>(5 * step + 4));
    EXPECT_EQ(standing.issued.ticks, at + 900);
    EXPECT_EQ(standing.issued.collectives, 5 * step + 5);
    EXPECT_EQ(standing.waiting.ordinal, 0);
    EXPECT_EQ(standing.waiting.ticks, 200u);
  }
}

TEST(CommProgress, NcclsNumbersSetRightWhatAFloodPutsIntoAWrongOrder) {
  constexpr uint64_t kFlood = 12'000;  // more than are held
  Process p;
  for (uint64_t step = 0; step < 3; ++step) {
    const uint64_t at = 100'000'000 * step, first = (kFlood + 1) * step;
    for (uint64_t i = 0; i < kFlood; ++i) p.whole(at + 1000 * (i + 10), first + 1 + i);
    p.coll(at + 510, p.call(at + 500), first);  // another thread's, drained last
    const CommStanding standing = p.after_round(at + 99'000'000);
    EXPECT_EQ(standing.issued.ordinal, static_cast<int64_t>(first + kFlood));
    EXPECT_EQ(standing.issued.collectives, first + kFlood + 1);
    EXPECT_EQ(standing.waiting.ordinal, 0);
  }
}

TEST(CommProgress, WhatIsRecordedWhileARoundIsDrainedWaitsForTheNext) {
  Process p;
  p.call(500);
  p.call(90);
  EXPECT_EQ(p.after_round(100).issued.ordinal, 0);
  p.call(400);
  const CommStanding standing = p.after_round(600);
  EXPECT_EQ(standing.issued.ordinal, 2);
  EXPECT_EQ(standing.issued.ticks, 500u);
}

TEST(CommProgress, NcclsOwnNumbersMakeUpForCallsThatWereNotRecorded) {
  Process p;
  p.whole(100, 40);
  p.whole(1000, 41);
  EXPECT_EQ(p.after_round(2000).ended.ordinal, 41);
  EXPECT_EQ(p.after_round(2000).ended.collectives, 42u);
  p.call(2000);
  EXPECT_EQ(p.after_round(3000).issued.ordinal, 42);
}

TEST(CommProgress, ReplaysShareTheOrdinalOfTheirCaptureAndCountAsCollectives) {
  Process p;
  const EventId group = p.group(100);
  const EventId api = p.call(110, group, true);
  p.stop(api, 120);
  p.stop(group, 130);
  p.after_round(200);
  for (uint64_t replay = 0; replay < 3; ++replay) {
    const uint64_t at = 1000 + 100 * replay;
    const EventId launch = p.coll(at, api, 10 + replay);
    p.stop(launch, at + 1);
    const EventId first = p.kernel(launch, at + 2), second = p.kernel(launch, at + 3);
    p.stop(first, at + 50);
    p.stop(second, at + 60);
  }
  const CommStanding standing = p.after_round(2000);
  EXPECT_EQ(standing.ended.ordinal, 0);
  EXPECT_EQ(standing.ended.collectives, 3u);
  p.call(3000);
  EXPECT_EQ(p.after_round(4000).issued.ordinal, 1);
}

TEST(CommProgress, SendsAreNumberedByPeer) {
  Process p;
  for (uint64_t i = 0; i < 3; ++i) p.stop(p.send(100 + 10 * i, 5), 105 + 10 * i);
  p.stop(p.send(200, 6), 205);
  const CommStanding standing = p.after_round(300);
  EXPECT_EQ(standing.issued.peer, 6);
  EXPECT_EQ(standing.issued.ordinal, 0);
  EXPECT_EQ(standing.in_flight, 4u);
  EXPECT_EQ(standing.waiting.peer, 5);
}

TEST(CommProgress, ACallThatNcclServesWithoutAnOperationIsInFlightUntilItsGroupEnds) {
  Process p;
  const EventId group = p.group(100);
  const EventId api = p.call(110, group);
  p.stop(api, 120);
  EXPECT_EQ(p.after_round(200).in_flight, 1u);
  p.stop(group, 300);
  EXPECT_EQ(p.after_round(400).in_flight, 0u);
  EXPECT_EQ(p.after_round(400).issued.ordinal, 0);
}

TEST(CommProgress, WithoutKernelsAndNetworkNothingIsWaitedForOnceItIsEnqueued) {
  Process p;
  p.progress.set_kinds(kind_bit(Kind::Coll));
  p.stop(p.coll(100, 0, 0), 110);
  const CommStanding standing = p.after_round(200);
  EXPECT_EQ(standing.in_flight, 0u);
  EXPECT_EQ(standing.issued.ordinal, 0);
  EXPECT_EQ(standing.ended.ticks, 0u);
}

TEST(CommProgress, AFinalizedCommunicatorIsForgotten) {
  Process p;
  p.whole(100, 0);
  CommFinalizeRecord finalize;
  finalize.comm = kWatchedComm;
  p.put(finalize, 1000);
  p.after_round(2000);
  EXPECT_TRUE(p.progress.snapshot().comms.empty());
}

TEST(CommProgress, TooManyOpenOperationsPushOutTheOldestAndAreCounted) {
  Process p;
  for (uint64_t i = 0; i < 20000; ++i) p.stop(p.coll(100 + i, 0, i), 101 + i);
  const CommStanding standing = p.after_round(50000);
  EXPECT_EQ(standing.issued.ordinal, 19999);
  EXPECT_EQ(standing.in_flight + p.progress.snapshot().not_followed, 20000u);
  EXPECT_GT(p.progress.snapshot().not_followed, 0u);
}

TEST(CommProgress, RemembersTheRoundInWhichMostBytesOfAKindWaited) {
  Process p;
  const auto waiting = [&] {
    return p.overhead.most_waiting_bytes[static_cast<unsigned>(Kind::CollApi)].load();
  };
  for (int i = 0; i < 3; ++i) p.call(100);
  p.after_round(200);
  EXPECT_EQ(waiting(), 3 * CollApiRecord::kWords * 8);
  p.call(300);
  p.after_round(400);
  EXPECT_EQ(waiting(), 3 * CollApiRecord::kWords * 8);
}

}  // namespace
}  // namespace lockstep::dumper
