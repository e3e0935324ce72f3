#include "plugin/process/activation.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "test/unit/temp_dir.h"

namespace lockstep::plugin {
namespace {

TEST(Activation, AValueWithoutASlashNamesUsByFileNameOrShortName) {
  EXPECT_TRUE(names_library("lockstep", "/opt/x/libnccl-profiler.so"));
  EXPECT_TRUE(names_library("libnccl-profiler.so", "/opt/x/libnccl-profiler.so"));
  EXPECT_TRUE(names_library("site", "/opt/x/libnccl-profiler-site.so"));
}

TEST(Activation, AnotherPluginsNameIsNotOurs) {
  EXPECT_FALSE(names_library("inspector", "/opt/x/libnccl-profiler.so"));
  EXPECT_FALSE(names_library("libother.so", "/opt/x/libnccl-profiler.so"));
  EXPECT_FALSE(names_library("none", "/opt/x/libnccl-profiler.so"));
}

TEST(Activation, NothingSetMeansNotNamed) {
  EXPECT_FALSE(names_library(nullptr, "/opt/x/libnccl-profiler.so"));
  EXPECT_FALSE(names_library("", "/opt/x/libnccl-profiler.so"));
}

TEST(Activation, APathNamesUsThroughASymbolicLinkToo) {
  const TempDir dir;
  const std::string real = dir / "real.so", link = dir / "link.so";
  write_text(real, "");
  ASSERT_EQ(symlink(real.c_str(), link.c_str()), 0);

  EXPECT_TRUE(names_library(link.c_str(), real.c_str()));
  EXPECT_FALSE(names_library("/bin/sh", real.c_str()));
}

}  // namespace
}  // namespace lockstep::plugin
