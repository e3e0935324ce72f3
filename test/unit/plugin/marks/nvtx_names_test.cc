#include "plugin/marks/nvtx_names.h"

#include <gtest/gtest.h>

namespace lockstep::plugin {
namespace {

TEST(NvtxDomains, AllLeavesOutOnlyThatOfNccl) {
  EXPECT_TRUE(names_domain("all", "default"));
  EXPECT_TRUE(names_domain("all", "PyTorch"));
  EXPECT_TRUE(names_domain("all", "NCCL tests"));
  EXPECT_FALSE(names_domain("all", "NCCL"));
  EXPECT_FALSE(names_domain("off", "default"));
}

TEST(NvtxDomains, AListNamesWholeDomains) {
  EXPECT_TRUE(names_domain("NCCL,PyTorch", "NCCL"));
  EXPECT_TRUE(names_domain("NCCL,PyTorch", "PyTorch"));
  EXPECT_FALSE(names_domain("NCCL,PyTorch", "Py"));
  EXPECT_FALSE(names_domain("NCCL,PyTorch", "default"));
  EXPECT_TRUE(names_domain("a domain", "a domain"));
  EXPECT_FALSE(names_domain("", "default"));
}

}  // namespace
}  // namespace lockstep::plugin
