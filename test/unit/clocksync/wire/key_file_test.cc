#include "clocksync/wire/key_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "test/unit/temp_dir.h"

namespace lockstep::clocksync {
namespace {

TEST(KeyFile, IsMadeOnceAndReadByTheNextHost) {
  ASSERT_TRUE(crypto_ready());
  const TempDir folder;
  const auto first = read_or_create_key(folder / "key");
  const auto second = read_or_create_key(folder / "key");
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first.value(), second.value());
  EXPECT_NE(first.value(), SecretKey{});
  chmod((folder / "key").c_str(), 0640);
  EXPECT_FALSE(read_key_file(folder / "key").ok());
}

}  // namespace
}  // namespace lockstep::clocksync
