#include "test/drivers/common/bootstrap.h"

#include <gtest/gtest.h>

#include <thread>

namespace lockstep::driver {
namespace {

// Runs `work` as each rank of a job of `world` ranks, each in a thread of its own.
template <class Work>
void as_each_rank(int world, const Work& work) {
  const auto listening = listen_on("127.0.0.1", 0);
  ASSERT_TRUE(listening.ok()) << listening.message();
  const auto [socket, port] = listening.value();
  const std::string master = "127.0.0.1:" + std::to_string(port);
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < world; ++rank) {
    ranks.emplace_back([&, rank, socket = socket] {
      auto job = Bootstrap::join({rank, world, master, rank == 0 ? socket : -1});
      ASSERT_TRUE(job.ok()) << job.message();
      work(rank, &job.value());
    });
  }
  for (std::thread& rank : ranks) rank.join();
}

TEST(Bootstrap, GivesEverybodyTheNumberOfRank0) {
  int64_t numbers[] = {100, 200, 300};
  as_each_rank(3, [&](int rank, Bootstrap* job) {
    EXPECT_TRUE(job->tell_all(&numbers[rank], 30'000));
    EXPECT_TRUE(job->barrier(30'000));
  });
  for (const int64_t number : numbers) EXPECT_EQ(number, 100);
}

}  // namespace
}  // namespace lockstep::driver
