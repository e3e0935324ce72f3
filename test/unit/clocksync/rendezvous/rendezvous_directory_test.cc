#include "clocksync/rendezvous/rendezvous_directory.h"

#include <gtest/gtest.h>

#include <fstream>

#include "test/unit/clocksync/rendezvous/hosts.h"
#include "test/unit/temp_dir.h"

namespace lockstep::clocksync {
namespace {

TEST(RendezvousDirectory, ShowsEveryHostThatCameAndForgetsTheOneThatLeft) {
  const TempDir folder;
  const auto a = directory_source(folder.path(), entry("a", 1));
  const auto b = directory_source(folder.path(), entry("b", 2));
  EXPECT_EQ(names(a->look()), std::vector<std::string>{"a"});
  EXPECT_EQ(names(b->look()), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(names(a->look()), (std::vector<std::string>{"a", "b"}));
  b->leave();
  const auto c = directory_source(folder.path(), entry("c", 3));
  EXPECT_EQ(names(c->look()), (std::vector<std::string>{"a", "c"}));
}

TEST(RendezvousDirectory, IgnoresFilesThatAreNotEntries) {
  const TempDir folder;
  std::ofstream(folder.path() + "/x.json") << "garbage";
  std::ofstream(folder.path() + "/y.json") << entry_to_json(entry("z", 5));  // under another's name
  const auto a = directory_source(folder.path(), entry("a", 1));
  EXPECT_EQ(names(a->look()), std::vector<std::string>{"a"});
}

}  // namespace
}  // namespace lockstep::clocksync
