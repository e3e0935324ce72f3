#include "clocksync/wire/key_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace lockstep::clocksync {
namespace {

class Folder {
 public:
  Folder() {
    char name[] = "/tmp/lockstep-key-file-XXXXXX";
    path = mkdtemp(name);
  }
  ~Folder() { [[maybe_unused]] const int rc = std::system(("rm -rf " + path).c_str()); }
  std::string path;
};

TEST(KeyFile, IsMadeOnceAndReadByTheNextHost) {
  ASSERT_TRUE(crypto_ready());
  const Folder folder;
  const auto first = read_or_create_key(folder.path + "/key");
  const auto second = read_or_create_key(folder.path + "/key");
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first.value(), second.value());
  EXPECT_NE(first.value(), SecretKey{});
  chmod((folder.path + "/key").c_str(), 0640);
  EXPECT_FALSE(read_key_file(folder.path + "/key").ok());
}

}  // namespace
}  // namespace lockstep::clocksync
