// Three hosts of two ranks each: between hosts the first channel leads from rank 0 to rank 4 and from there to rank 2,
// and back.
#include <gtest/gtest.h>

#include <utility>

#include "analysis/transfers/channel_ways.h"

namespace lockstep::analysis {
namespace {

struct Job {
  Job() {
    for (uint32_t rank = 0; rank < 6; ++rank) {
      run.processes.emplace_back().host = 1 + rank / 2;
      run.operations.emplace_back().process = rank;
      by_rank.push_back(rank);
    }
  }
  void send(unsigned channel, uint32_t from, uint32_t to) {
    sends.push_back({channel, {from, to}});
  }
  void exchange(unsigned channel, uint32_t one, uint32_t other) {
    send(channel, one, other);
    send(channel, other, one);
  }
  std::vector<ChannelTree> find() {
    run.channel_ends.clear();
    for (uint32_t rank = 0; rank < by_rank.size(); ++rank) {
      for (const auto& [channel, edge] : sends) {
        if (edge.first != rank) continue;
        ChannelEndRow& end = run.channel_ends.emplace_back();
        end.operation = rank;
        end.peer = edge.second & 0xffffffu;
        end.channel = channel & 0x7fu;
        end.is_send = 1;
      }
    }
    return channel_trees(run, by_rank);
  }

  RunTables run;
  std::vector<uint32_t> by_rank;
  std::vector<std::pair<unsigned, std::pair<uint32_t, uint32_t>>> sends;
};

TEST(ChannelTrees, AreFoundWhereHostsExchangeDataAndNoneIsReachedTwice) {
  Job job;
  job.exchange(0, 0, 4);
  job.exchange(0, 4, 2);
  job.exchange(0, 4, 5);  // inside a host
  job.exchange(1, 3, 1);
  job.exchange(1, 1, 5);
  const std::vector<ChannelTree> trees = job.find();
  ASSERT_EQ(trees.size(), 2u);
  EXPECT_EQ(trees[1].channel, 1);
  ASSERT_EQ(trees[0].edges.size(), 4u);
  for (size_t i = 0; i < 4; i += 2) {
    EXPECT_EQ(trees[0].edges[i].from, trees[0].edges[i + 1].to);
    EXPECT_EQ(trees[0].edges[i].to, trees[0].edges[i + 1].from);
  }
}

TEST(ChannelTrees, AreNotWhereDataGoesInOneDirectionAsOnARing) {
  Job job;
  job.send(0, 1, 2);
  job.send(0, 3, 4);
  job.send(0, 5, 0);
  EXPECT_TRUE(job.find().empty());
}

TEST(ChannelTrees, AreNotWhereAHostIsMissingOrReachedTwice) {
  Job missing;
  missing.exchange(0, 0, 4);
  EXPECT_TRUE(missing.find().empty());
  Job twice;
  twice.exchange(0, 0, 4);
  twice.exchange(0, 4, 2);
  twice.exchange(0, 3, 1);
  EXPECT_TRUE(twice.find().empty());
}

}  // namespace
}  // namespace lockstep::analysis
