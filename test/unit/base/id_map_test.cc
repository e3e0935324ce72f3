#include "base/id_map.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(IdMap, TakesWhatItFinds) {
  IdMap map;
  for (uint64_t id = 1; id <= 100; ++id) map.set(id, static_cast<uint32_t>(10 * id));
  for (uint64_t id = 1; id <= 100; id += 2) {
    EXPECT_EQ(map.take(id), 10 * id);
    EXPECT_EQ(map.take(id), IdMap::kNone);
  }
  EXPECT_EQ(map.size(), 50u);
  for (uint64_t id = 1; id <= 100; ++id)
    EXPECT_EQ(map.find(id), id % 2 != 0 ? IdMap::kNone : 10 * id) << id;
  EXPECT_EQ(map.take(0), IdMap::kNone);
  EXPECT_EQ(IdMap().take(1), IdMap::kNone);
}

}  // namespace
}  // namespace lockstep
