// Slow ways that stamps of two hosts show, where nobody knows how far apart these hosts' clocks are.
#include "analysis/paths/within_clocks.h"

#include "test/unit/analysis/paths/played_ring.h"
#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

TEST(WithinClocks, NobodyIsAccusedOfWhatTheClocksOfTwoHostsMayBeApart) {
  Ring ring(8);
  ring.link_ns[1] = 300 * kUs;
  Judged exact = judge_ring(ring, 2);
  ASSERT_EQ(exact.findings.size(), 1u) << all_text(exact);
  EXPECT_EQ(all_text(exact).find("not fully known"), std::string::npos) << all_text(exact);
  const Judged apart = with_clocks_apart(std::move(exact), 20 * kMs);
  EXPECT_TRUE(apart.findings.empty()) << all_text(apart);
  EXPECT_NE(all_text(apart).find("Which ways between hosts are slow on world is not fully known"),
            std::string::npos)
      << all_text(apart);
}

// Of the first two ranks on hosts a and b.
class Edge {
 public:
  Edge() {
    for (const char* host : {"a", "b"}) {
      ProcessRow& process = run_.processes.emplace_back();
      process.host = run_.strings.intern(host);
    }
    MatchRow& match = run_.matches.emplace_back();
    match.arrivals = 2;
    for (uint32_t i = 0; i < 2; ++i) {
      run_.operations.emplace_back().process = i;
      ArrivalRow& arrival = run_.arrivals.emplace_back();
      arrival.operation = i;
      arrival.clock_error_ns = i == 0 ? 0 : 1'000;  // the first came last
    }
    for (const uint32_t process : {0u, 1u}) own_.actors.push_back({process, 0});
  }
  TransferExcess shown(uint32_t from, uint32_t to, int64_t across_ns) const {
    TransferExcess one;
    one.actors = {from, to};
    one.matches = {0};
    one.excess_ns = 5'000;
    one.across_ns = across_ns;
    return one;
  }
  size_t kept(const TransferExcess& one) {
    std::vector<TransferExcess> all{one};
    left_out_ = leave_out_within_clocks(run_, own_, &all);
    return all.size();
  }
  const std::vector<WithinClocks>& left_out() const { return left_out_; }

 private:
  RunTables run_;
  OwnSegments own_;
  std::vector<WithinClocks> left_out_;
};

TEST(WithinClocks, IsWhatTwoHostsShowByNoMoreThanTheirClocksAreKnownTo) {
  Edge edge;
  EXPECT_EQ(edge.kept(edge.shown(0, 1, 1'000)), 0u);
  ASSERT_EQ(edge.left_out().size(), 1u);
  EXPECT_EQ(edge.left_out().front().shown_ns, 1'000);
  EXPECT_EQ(edge.left_out().front().error_ns, 1'000);
  EXPECT_EQ(edge.left_out().front().all_ns, 5'000);
  EXPECT_EQ(edge.kept(edge.shown(0, 1, 1'001)), 1u);
  EXPECT_TRUE(edge.left_out().empty());
}

// Where one way seems 1 us longer, the way back seems 1 us shorter.
TEST(WithinClocks, IsTwiceAsMuchWhereWhatIsUsualIsSeenAcrossHostsAsWell) {
  Edge edge;
  TransferExcess one = edge.shown(0, 1, 2'000);
  EXPECT_EQ(edge.kept(one), 1u);
  one.usual_across = true;
  EXPECT_EQ(edge.kept(one), 0u);
  ASSERT_EQ(edge.left_out().size(), 1u);
  EXPECT_EQ(edge.left_out().front().error_ns, 2'000);
  one.across_ns = 2'001;
  EXPECT_EQ(edge.kept(one), 1u);
}

TEST(WithinClocks, IsNothingThatOneHostShows) {
  Edge edge;
  EXPECT_EQ(edge.kept(edge.shown(0, 1, 0)), 1u) << "by stamps of one clock";
  EXPECT_EQ(edge.kept(edge.shown(1, 1, 10)), 1u) << "both ends are on it";
}

TEST(WithinClocks, AreSaidOfTheirCommunicatorThoughTheyCostNothing) {
  Edge edge;
  TransferExcess one = edge.shown(0, 1, 900);
  one.communicator = 3;
  one.excess_ns = 0;
  EXPECT_EQ(edge.kept(one), 0u);
  ASSERT_EQ(edge.left_out().size(), 1u);
  EXPECT_EQ(edge.left_out()[0].communicator, 3u);
  EXPECT_EQ(edge.left_out()[0].shown_ns, 900);
}

}  // namespace
}  // namespace lockstep::analysis
