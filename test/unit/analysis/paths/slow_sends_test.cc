// Sends that take longer than others like them: between hosts, by how both ranks began, and inside one.
#include "analysis/paths/slow_sends.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "test/unit/analysis/judge/judged.h"
#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

// Two ranks on each of three hosts, and others from rank 6 on on a fourth.
class Sends {
 public:
  static uint32_t host_of(uint32_t rank) { return rank < 6 ? rank / 2 : 3; }
  Sends() {
    for (uint32_t rank = 0; rank < 12; ++rank) {
      run_.processes.emplace_back().host =
          run_.strings.intern("host" + std::to_string(host_of(rank)));
      own_.actors.push_back({rank, 0});
    }
    run_.matches.resize(kSends);
  }
  // Takes `time_us` from when both have begun, of `whole_us` from when the sender has.
  void add(uint32_t from, uint32_t to, Begin begin, int64_t time_us, int64_t whole_us) {
    PairSeries pair;
    pair.communicator = 0;
    pair.from = from;
    pair.to = to;
    pair.alike.begin = begin;
    pair.alike.alone = true;
    pair.alike.network = pair.edge.network = host_of(from) != host_of(to);
    for (uint32_t i = 0; i < kSends; ++i) {
      pair.matches.push_back(i);
      pair.times.push_back(time_us * 1'000 + i % 5 * 100);
      pair.whole.push_back(whole_us * 1'000 + i % 5 * 100);
      for (auto* unknown :
           {&pair.edge.lag, &pair.edge.uptake, &pair.edge.wire, &pair.edge.work, &pair.edge.gpu})
        unknown->push_back(kNoTime);
    }
    pair.alone = pair.times;
    pairs_.push_back(std::move(pair));
  }
  // A network step takes so long: of the first pair, and of all others.
  void take_in_the_network(int64_t first_us, int64_t others_us) {
    for (PairSeries& pair : pairs_) {
      const int64_t us = &pair == &pairs_.front() ? first_us : others_us;
      pair.edge.wire.assign(kSends, us * 1'000);
      pair.edge.work = pair.edge.wire;
    }
  }
  // The last of them takes `times` as long in its second quarter.
  void slow_at_times(int64_t times) {
    PairSeries& pair = pairs_.back();
    for (uint32_t i = kSends / 4; i < kSends / 2; ++i) pair.times[i] *= times;
    pair.alone = pair.whole = pair.times;
  }
  // Sender and receiver of each that is slow.
  std::vector<std::vector<uint32_t>> slow() const {
    std::vector<std::vector<uint32_t>> slow;
    for (const TransferExcess& one : find_slow_sends(run_, own_, pairs_).excesses)
      slow.push_back(one.actors);
    return slow;
  }

 private:
  static constexpr uint32_t kSends = 40;  // of each pair
  RunTables run_;
  OwnSegments own_;
  std::vector<PairSeries> pairs_;
};
using Slow = std::vector<std::vector<uint32_t>>;

// The middle stage of a pipeline sends to ranks that begin as soon as data comes; what these send lies in the buffers of
// the middle stage for long.
void add_middle_stage(int64_t time_us, int64_t whole_us, Sends* sends) {
  sends->add(2, 0, Begin::Waited, time_us, whole_us);
  sends->add(2, 4, Begin::Waited, 145, 164);
  sends->add(0, 2, Begin::Waited, 70, 420);
  sends->add(4, 2, Begin::Waited, 70, 420);
}
void add_whole(Sends* sends) {
  sends->add(0, 2, Begin::Whole, 163, 163);
  sends->add(4, 2, Begin::Whole, 162, 162);
  sends->add(2, 0, Begin::Whole, 163, 163);
}

TEST(SlowSends, AreNoneWhoseReceiverBeginsWhileDataComes) {
  Sends sends;
  add_middle_stage(145, 165, &sends);
  add_whole(&sends);
  EXPECT_EQ(sends.slow(), Slow());
}

TEST(SlowSends, AreThoseThatTakeLongerFromWhenTheSenderBegan) {
  Sends sends;
  add_middle_stage(300, 320, &sends);
  add_whole(&sends);
  EXPECT_EQ(sends.slow(), (Slow{{2, 0}}));
}

TEST(SlowSends, AreToldByWhatIsLeftWhereNobodyKnowsWhatTheWholeTakes) {
  Sends sends;
  add_middle_stage(145, 165, &sends);
  EXPECT_EQ(sends.slow(), (Slow{{2, 0}, {2, 4}}));
}

TEST(SlowSends, AreThoseWhoseNetworkStepsTakeLongWhateverTheWholeTakes) {
  for (const bool slow : {true, false}) {
    Sends sends;
    add_middle_stage(145, 165, &sends);
    add_whole(&sends);
    sends.take_in_the_network(slow ? 40 : 10, 10);
    EXPECT_EQ(sends.slow(), slow ? (Slow{{2, 0}}) : Slow()) << slow;
  }
}

// A chain of six ranks inside a host.
void add_chain(int64_t first_us, int64_t second_us, int64_t others_us, Sends* sends) {
  for (uint32_t from = 6; from < 11; ++from) {
    const int64_t us = from == 7 ? first_us : from == 8 ? second_us : others_us;
    sends->add(from, from + 1, Begin::Whole, us, us);
  }
}

TEST(SlowSends, InsideAHostAreThoseOfARankThatIsSlowWithAllOthers) {
  Sends sends;
  add_chain(590, 600, 44, &sends);
  sends.add(1, 2, Begin::Whole, 900, 900);  // to another host
  sends.add(3, 4, Begin::Whole, 901, 901);
  EXPECT_EQ(sends.slow(), (Slow{{7, 8}, {8, 9}}));
}

// As where they cross from one switch to another.
TEST(SlowSends, InsideAHostAreNoneWhereTwoRanksAreSlowWithEachOtherAlone) {
  Sends sends;
  add_chain(590, 44, 44, &sends);
  EXPECT_EQ(sends.slow(), Slow());
}

// The last of a chain exchanges data with one other only.
TEST(SlowSends, InsideAHostAreNoneOfARankAtTheEnd) {
  Sends sends;
  sends.add(6, 7, Begin::Whole, 590, 590);
  for (uint32_t from = 7; from < 11; ++from) sends.add(from, from + 1, Begin::Whole, 44, 44);
  EXPECT_EQ(sends.slow(), Slow());
}

// What takes longer there at times is the threads' doing as often.
TEST(SlowSends, AtTimesAreToldBetweenHostsOnly) {
  for (const bool between : {true, false}) {
    Sends sends;
    sends.add(between ? 1 : 6, between ? 2 : 7, Begin::Whole, 100, 100);
    sends.add(between ? 3 : 7, between ? 4 : 8, Begin::Whole, 100, 100);
    sends.slow_at_times(10);
    EXPECT_EQ(sends.slow(), between ? (Slow{{3, 4}}) : Slow()) << between;
  }
}

// Six ranks of one host, each in turn with the one before it and the one behind it, to and fro.
Judged judge_neighbors(int64_t slow_us, bool two_ranks_only) {
  constexpr int32_t kRanks = 6;
  constexpr unsigned kTurns = 120;
  const auto is_ahead = [](int32_t rank, unsigned i) {
    return (rank + static_cast<int32_t>(i)) % 2 == 0;
  };
  const auto peer_of = [&](int32_t rank, unsigned i) {
    return (rank + (is_ahead(rank, i) ? 1 : kRanks - 1)) % kRanks;
  };
  std::vector<std::map<int32_t, uint64_t>> calls(kTurns + 1), ends(kTurns);
  for (int32_t rank = 0; rank < kRanks; ++rank) calls[0][rank] = 2'000 * kMs;
  for (unsigned i = 0; i < kTurns; ++i) {
    for (int32_t rank = 0; rank < kRanks; ++rank) {
      const int32_t peer = peer_of(rank, i);
      const bool slow =
          two_ranks_only ? std::minmax({rank, peer}) == std::pair(3, 4) : rank == 3 || peer == 3;
      ends[i][rank] = std::max(calls[i][rank], calls[i][peer]) + 10 * kUs +
                      static_cast<uint64_t>(slow ? slow_us : 44) * kUs + i * 7 % 5 * 100;
      calls[i + 1][rank] = ends[i][rank] + kMs;
    }
  }
  return diagnose_hosts(kRanks, kRanks, kTurns, [&](int32_t rank, unsigned i) {
    driver::RankOperation op;
    op.channels = 1;
    op.sequence = i;
    op.network_operations = false;
    op.peer = peer_of(rank, i);
    op.func = is_ahead(rank, i) == (i / 2 % 2 == 0) ? "Send" : "Recv";
    op.call_ns = calls[i][rank];
    op.kernel_ns = op.call_ns + 10 * kUs;
    op.finish_ns = ends[i][rank];
    return op;
  });
}

TEST(SlowSends, NameTheRankThatTakesPartInAllOfThemInsideAHost) {
  EXPECT_TRUE(judge_neighbors(44, false).findings.empty());
  const Judged judged = judge_neighbors(590, false);
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{3});
  EXPECT_NE(judged.text().find(
                "Its GPU is suspected, or what connects it to the other GPUs of its host."),
            std::string::npos)
      << judged.text();
}

TEST(SlowSends, NameNobodyWhereTwoOfThemExchangeDataSlowly) {
  const Judged judged = judge_neighbors(590, true);
  EXPECT_TRUE(judged.findings.empty()) << all_text(judged);
}

}  // namespace
}  // namespace lockstep::analysis
