#include "hostload/sample/infiniband.h"

#include <gtest/gtest.h>

#include <map>

#include "test/unit/hostload/sample/fake_root.h"

namespace lockstep::hostload {
namespace {

constexpr const char* kPort = "/sys/class/infiniband/mlx5_0/ports/1";

std::map<std::string, int64_t> all_of(const FakeRoot& root) {
  std::map<std::string, int64_t> values;
  read_infiniband(root.path(), [&](const LoadCounter& counter, int64_t value) {
    values[counter.device + "/" + std::to_string(counter.port) + "/" + counter.name] = value;
  });
  return values;
}

TEST(Infiniband, CountersOfBothFoldersAndTheLinkAreRead) {
  FakeRoot root;
  root.put(std::string(kPort) + "/counters/symbol_error", "3\n");
  root.put(std::string(kPort) + "/counters/port_xmit_wait", "18446744073709551615\n");
  root.put(std::string(kPort) + "/hw_counters/out_of_sequence", "7\n");
  root.put(std::string(kPort) + "/state", "4: ACTIVE\n");
  root.put(std::string(kPort) + "/phys_state", "5: LinkUp\n");
  root.put(std::string(kPort) + "/rate", "400 Gb/sec (4X NDR)\n");
  root.put("/sys/class/infiniband/mlx5_1/ports/2/counters/link_downed", "1\n");
  ASSERT_TRUE(has_infiniband(root.path()));
  const std::map<std::string, int64_t> expected = {{"mlx5_0/1/link_phys_state", 5},
                                                   {"mlx5_0/1/link_rate", 400},
                                                   {"mlx5_0/1/link_state", 4},
                                                   {"mlx5_0/1/out_of_sequence", 7},
                                                   {"mlx5_0/1/port_xmit_wait", INT64_MAX},
                                                   {"mlx5_0/1/symbol_error", 3},
                                                   {"mlx5_1/2/link_downed", 1}};
  EXPECT_EQ(all_of(root), expected);
}

TEST(Infiniband, ACounterThatIsNoNumberIsLeftOut) {
  FakeRoot root;
  root.put(std::string(kPort) + "/hw_counters/lifespan", "N/A (not supported)\n");
  root.put(std::string(kPort) + "/counters/empty", "");
  root.put("/sys/class/infiniband/mlx5_0/ports/one/counters/symbol_error", "3\n");
  std::filesystem::create_directories(root.path() + kPort + "/counters/folder");
  EXPECT_TRUE(all_of(root).empty());
}

TEST(Infiniband, CountersHaveAnEnd) {
  FakeRoot root;
  for (int i = 0; i < 5000; ++i)
    root.put(std::string(kPort) + "/counters/c" + std::to_string(i), "1\n");
  EXPECT_EQ(all_of(root).size(), 4096u);
}

TEST(Infiniband, AHostWithoutItHasNone) {
  FakeRoot root;
  EXPECT_FALSE(has_infiniband(root.path()));
  EXPECT_TRUE(all_of(root).empty());
}

}  // namespace
}  // namespace lockstep::hostload
