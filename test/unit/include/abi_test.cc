// The values and sizes of the ABI that no offset shows. The offsets themselves are checked by
// layout_*.cc.
#include <gtest/gtest.h>

#include "lockstep/nccl_net_descr.h"
#include "lockstep/nccl_profiler_abi.h"

namespace lockstep::abi {
namespace {

template <typename T>
void expect_table_members_in_order() {
  EXPECT_EQ(offsetof(T, name), 0u);
  EXPECT_EQ(offsetof(T, init), 8u);
  EXPECT_EQ(offsetof(T, start_event), 16u);
  EXPECT_EQ(offsetof(T, stop_event), 24u);
  EXPECT_EQ(offsetof(T, record_event_state), 32u);
  EXPECT_EQ(offsetof(T, finalize), 40u);
  EXPECT_EQ(sizeof(T), 48u);
}

TEST(ProfilerAbi, KeepsTheSixTableMembersInNcclsOrderInEveryVersion) {
  expect_table_members_in_order<TableV1>();
  expect_table_members_in_order<TableV2>();
  expect_table_members_in_order<TableV3>();
  expect_table_members_in_order<TableV4>();
  expect_table_members_in_order<TableV5>();
  expect_table_members_in_order<TableV6>();
  expect_table_members_in_order<TableV7>();
}

TEST(ProfilerAbi, GivesEveryDescriptorTheSizeNcclAllocates) {
  EXPECT_EQ(sizeof(v1::EventDescr), 120u);
  EXPECT_EQ(sizeof(v2::EventDescr), 128u);
  EXPECT_EQ(sizeof(v3::EventDescr), 120u);
  EXPECT_EQ(sizeof(v4::EventDescr), 104u);
  EXPECT_EQ(sizeof(v5::EventDescr), 112u);
  EXPECT_EQ(sizeof(v6::EventDescr), 112u);
  EXPECT_EQ(sizeof(v7::EventDescr), 136u);
}

TEST(ProfilerAbi, ReadsOneTypeByteUpToV4AndEightAfter) {
  EXPECT_EQ(sizeof(v4::EventDescr::type), 1u);
  EXPECT_EQ(sizeof(v5::EventDescr::type), 8u);
}

TEST(ProfilerAbi, GivesEveryUnionMemberItsMeasuredSize) {
  EXPECT_EQ(sizeof(v1::Coll), 96u);
  EXPECT_EQ(sizeof(v1::P2p), 56u);
  EXPECT_EQ(sizeof(v1::ProxyOp), 24u);
  EXPECT_EQ(sizeof(v2::Coll), 104u);
  EXPECT_EQ(sizeof(v2::P2p), 56u);
  EXPECT_EQ(sizeof(v3::Coll), 96u);
  EXPECT_EQ(sizeof(v3::KernelCh), 1u);
  EXPECT_EQ(sizeof(v4::Coll), 80u);
  EXPECT_EQ(sizeof(v4::P2p), 40u);
  EXPECT_EQ(sizeof(v4::KernelCh), 16u);
  EXPECT_EQ(sizeof(v4::NetPlugin), 16u);
  EXPECT_EQ(sizeof(v5::Coll), 88u);
  EXPECT_EQ(sizeof(v5::P2p), 48u);
  EXPECT_EQ(sizeof(v5::GroupApi), 8u);
  EXPECT_EQ(sizeof(v5::CollApi), 48u);
  EXPECT_EQ(sizeof(v5::P2pApi), 40u);
  EXPECT_EQ(sizeof(v6::CeColl), 88u);
  EXPECT_EQ(sizeof(v6::CeSync), 8u);
  EXPECT_EQ(sizeof(v6::CeBatch), 24u);
  EXPECT_EQ(sizeof(v7::CollApi), 56u);
  EXPECT_EQ(sizeof(v7::P2pApi), 48u);
  EXPECT_EQ(sizeof(v7::Coll), 112u);
  EXPECT_EQ(sizeof(v7::P2p), 56u);
  EXPECT_EQ(sizeof(v7::CeColl), 96u);
  EXPECT_EQ(sizeof(v7::KernelPhase), 24u);
}

TEST(ProfilerAbi, NumbersEventKindsAsNcclDoes) {
  EXPECT_EQ(kGroup | kColl | kP2p | kProxyOp | kProxyStep | kProxyCtrl, 0x3fu);
  EXPECT_EQ(kKernelCh | kNetPlugin, 0xc0u);
  EXPECT_EQ(kGroupApi | kCollApi | kP2pApi | kKernelLaunch, 0xf00u);
  EXPECT_EQ(kCeColl | kCeSync | kCeBatch, 0x7000u);
  EXPECT_EQ(kKernelPhase, 0x8000u);
}

TEST(ProfilerAbi, PassesEnumsAsFourByteIntegers) {
  EXPECT_EQ(sizeof(State), 4u);
  EXPECT_EQ(sizeof(LogLevel), 4u);
  EXPECT_EQ(sizeof(ResultCode), 4u);
  EXPECT_EQ(kKernelPhaseStop, 31u);
}

TEST(ProfilerAbi, LaysOutTheNetDescriptorsAsNcclsTransportsDo) {
  EXPECT_EQ(offsetof(net::IbDescrV1, qp.device), 8u);
  EXPECT_EQ(offsetof(net::IbDescrV1, qp.wr_id), 16u);
  EXPECT_EQ(offsetof(net::IbDescrV1, qp.opcode), 24u);
  EXPECT_EQ(offsetof(net::IbDescrV1, qp.qp_number), 28u);
  EXPECT_EQ(offsetof(net::IbDescrV1, qp.length), 32u);
  EXPECT_EQ(offsetof(net::SocketDescrV1, sock.fd), 8u);
  EXPECT_EQ(offsetof(net::SocketDescrV1, sock.op), 12u);
  EXPECT_EQ(offsetof(net::SocketDescrV1, sock.length), 16u);
  EXPECT_EQ(net::kIbV1, 65537);
  EXPECT_EQ(net::kSocketV1, 131073);
}

TEST(ProfilerAbi, LaysOutTheStateArgumentsAsNcclDoes) {
  EXPECT_EQ(offsetof(StateArgsV1, proxy_op.steps), 8u);
  EXPECT_EQ(sizeof(StateArgsV1), 16u);
  EXPECT_EQ(sizeof(StateArgsV4), 8u);
}

}  // namespace
}  // namespace lockstep::abi
