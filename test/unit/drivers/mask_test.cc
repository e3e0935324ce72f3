// What NCCL starts under an activation mask, and what each table version lets through.
#include "test/drivers/common/mask.h"

#include <gtest/gtest.h>

#include "test/drivers/common/plugin.h"

namespace lockstep::driver {
namespace {

TEST(ActivationMask, ABitActivatesItsAncestorsAndNothingElse) {
  const uint64_t kernels = abi::kKernelCh;
  EXPECT_TRUE(mask_wants(kernels, Kind::GroupApi));
  EXPECT_TRUE(mask_wants(kernels, Kind::CollApi));
  EXPECT_TRUE(mask_wants(kernels, Kind::Coll));
  EXPECT_TRUE(mask_wants(kernels, Kind::KernelCh));
  EXPECT_FALSE(mask_wants(kernels, Kind::ProxyOp));
  EXPECT_FALSE(mask_wants(kernels, Kind::KernelLaunch));
}

TEST(ActivationMask, ProxyCtrlActivatesNothingElse) {
  for (unsigned kind = 0; kind < kKinds; ++kind) {
    const bool wanted = mask_wants(abi::kProxyCtrl, static_cast<Kind>(kind));
    EXPECT_EQ(wanted, static_cast<Kind>(kind) == Kind::ProxyCtrl) << kKindNames[kind];
  }
}

TEST(ActivationMask, NothingIsWantedUnderMaskZero) {
  for (unsigned kind = 0; kind < kKinds; ++kind)
    EXPECT_FALSE(mask_wants(0, static_cast<Kind>(kind)));
}

TEST(TableVersions, LoseTheKindsTheyWereTooEarlyFor) {
  EXPECT_FALSE(table_delivers(2, Kind::KernelCh));
  EXPECT_TRUE(table_delivers(3, Kind::KernelCh));
  EXPECT_FALSE(table_delivers(4, Kind::CollApi));
  EXPECT_TRUE(table_delivers(5, Kind::CollApi));
  EXPECT_FALSE(table_delivers(5, Kind::CeColl));
  EXPECT_FALSE(table_delivers(6, Kind::KernelPhase));
  EXPECT_TRUE(table_delivers(7, Kind::KernelPhase));
}

TEST(TableVersions, LoseTheStatesTheyWereTooEarlyFor) {
  EXPECT_FALSE(table_delivers(3, abi::kProxyOpInProgress));
  EXPECT_TRUE(table_delivers(4, abi::kKernelChStop));
  EXPECT_FALSE(table_delivers(4, abi::kGroupEndApiStart));
  EXPECT_TRUE(table_delivers(6, abi::kKernelPhaseStop));
}

}  // namespace
}  // namespace lockstep::driver
