// The NCCL profiler plugin ABI, versions 1 to 7, in our own words: what a plugin exports
// (ncclProfiler_v1 .. ncclProfiler_v7) and what NCCL passes to it. The plugin's adapters implement
// these tables, the drivers and benches call them. Event descriptors are in nccl_profiler_descr*.h,
// included here; which version has which kinds and states is in profiler_versions.h. Layouts and
// values were measured on structures typed from NCCL's documentation; test/unit/include checks
// every offset. This header declares data only: it never links against NCCL or CUDA, and
// holds none of their text.
#pragma once

#include "lockstep/nccl_profiler_descr.h"
#include "lockstep/nccl_profiler_descr_v7.h"

namespace lockstep::abi {

using ResultCode = int32_t;
inline constexpr ResultCode kSuccess = 0;
inline constexpr ResultCode kSystemError = 2;
inline constexpr ResultCode kInternalError = 3;
inline constexpr ResultCode kInvalidArgument = 4;

enum LogLevel : int32_t { kLogNone, kLogVersion, kLogWarn, kLogInfo, kLogAbort, kLogTrace };
inline constexpr unsigned long kLogInit = 0x1;
inline constexpr unsigned long kLogProfile = 0x4000;
inline constexpr unsigned long kLogAll = ~0UL;
using DebugLogger = void (*)(LogLevel level, unsigned long flags, const char* file, int line,
                             const char* format, ...);

// One bit per event kind: the descriptor's type, and the activation mask.
enum Kind : uint64_t {
  kGroup = 1u << 0,
  kColl = 1u << 1,
  kP2p = 1u << 2,
  kProxyOp = 1u << 3,
  kProxyStep = 1u << 4,
  kProxyCtrl = 1u << 5,
  kKernelCh = 1u << 6,
  kNetPlugin = 1u << 7,
  kGroupApi = 1u << 8,
  kCollApi = 1u << 9,
  kP2pApi = 1u << 10,
  kKernelLaunch = 1u << 11,
  kCeColl = 1u << 12,
  kCeSync = 1u << 13,
  kCeBatch = 1u << 14,
  kKernelPhase = 1u << 15,
};
inline constexpr int kKindCount = 16;
inline constexpr uint64_t kAllKinds = 0xffff;

enum State : uint32_t {
  // 0 to 7 are ProxyOp states of NCCL 2.23 to 2.26.
  kProxyOpSendPosted = 0,
  kProxyOpSendRemFifoWait = 1,
  kProxyOpSendTransmitted = 2,
  kProxyOpSendDone = 3,
  kProxyOpRecvPosted = 4,
  kProxyOpRecvReceived = 5,
  kProxyOpRecvTransmitted = 6,
  kProxyOpRecvDone = 7,
  kProxyStepSendGpuWait = 8,
  kProxyStepSendWait = 9,  // trans_size is valid here and in 11 only
  kProxyStepRecvWait = 10,
  kProxyStepRecvFlushWait = 11,
  kProxyStepRecvGpuWait = 12,
  kProxyCtrlIdle = 13,
  kProxyCtrlActive = 14,
  kProxyCtrlSleep = 15,
  kProxyCtrlWakeup = 16,
  kProxyCtrlAppend = 17,
  kProxyCtrlAppendEnd = 18,  // appended_proxy_ops is valid here
  kProxyOpInProgress = 19,
  kProxyStepSendPeerWait = 20,
  kNetPluginUpdate = 21,    // net_plugin_data is valid here
  kKernelChStop = 22,       // p_timer is valid here
  kGroupStartApiStop = 23,  // args may be null
  kGroupEndApiStart = 24,   // args may be null
  kCeCollStart = 25,
  kCeCollComplete = 26,
  kCeSyncStart = 27,
  kCeSyncComplete = 28,
  kCeBatchStart = 29,
  kCeBatchComplete = 30,
  kKernelPhaseStop = 31,  // p_timer is valid here
};
inline constexpr int kStateCount = 32;

// Arguments of recordEventState, tables 1 to 3.
union StateArgsV1 {
  struct ProxyOpArgs {
    size_t trans_size;
    int32_t steps;
  } proxy_op;
  int32_t appended_proxy_ops;
};
// Tables 4 to 7.
union StateArgsV4 {
  size_t trans_size;
  int32_t appended_proxy_ops;
  void* net_plugin_data;
  uint64_t p_timer;
};
static_assert(sizeof(StateArgsV1) == 16 && sizeof(StateArgsV4) == 8);

using InitV1 = ResultCode (*)(void** context, int32_t* activation_mask);
using InitV4 = ResultCode (*)(void** context, int32_t* activation_mask, const char* comm_name,
                              uint64_t comm_hash, int32_t nodes, int32_t ranks, int32_t rank,
                              DebugLogger log);
using InitV5 = ResultCode (*)(void** context, uint64_t comm_id, int32_t* activation_mask,
                              const char* comm_name, int32_t nodes, int32_t ranks, int32_t rank,
                              DebugLogger log);

// What ncclProfiler_vN is: the same six members in every version.
template <typename Init, typename Descr, typename Args>
struct Table {
  const char* name;
  Init init;
  ResultCode (*start_event)(void* context, void** handle, Descr* descr);
  ResultCode (*stop_event)(void* handle);
  ResultCode (*record_event_state)(void* handle, State state, Args* args);
  ResultCode (*finalize)(void* context);
};
using TableV1 = Table<InitV1, v1::EventDescr, StateArgsV1>;
using TableV2 = Table<InitV1, v2::EventDescr, StateArgsV1>;
using TableV3 = Table<InitV1, v3::EventDescr, StateArgsV1>;
using TableV4 = Table<InitV4, v4::EventDescr, StateArgsV4>;
using TableV5 = Table<InitV5, v5::EventDescr, StateArgsV4>;
using TableV6 = Table<InitV5, v6::EventDescr, StateArgsV4>;
using TableV7 = Table<InitV5, v7::EventDescr, StateArgsV4>;
static_assert(sizeof(TableV1) == 48 && sizeof(TableV4) == 48 && sizeof(TableV7) == 48);

}  // namespace lockstep::abi
