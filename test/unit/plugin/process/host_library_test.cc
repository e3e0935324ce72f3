// Who loaded us, by an address of theirs. RCCL and versions of NCCL: test/dropin/other_libraries.sh.
#include "plugin/process/host_library.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>

namespace lockstep::plugin {
namespace {

TEST(HostLibrary, IsNcclOfAnUnknownVersionWhereAddressesTellNothing) {
  const auto heap = std::make_unique<int>(0);
  const int stack = 0;
  const HostLibrary found = find_host_library({nullptr, heap.get(), &stack});
  EXPECT_EQ(found.library, abi::Library::Nccl);
  EXPECT_EQ(found.version, 0u);
  EXPECT_EQ(found.file, "");
}

TEST(HostLibrary, IsTheFileThatHoldsTheAddress) {
  const HostLibrary found =
      find_host_library({nullptr, reinterpret_cast<const void*>(&std::fopen)});
  EXPECT_EQ(found.library, abi::Library::Nccl);
  EXPECT_EQ(found.version, 0u);
  EXPECT_NE(found.file, "");
}

}  // namespace
}  // namespace lockstep::plugin
