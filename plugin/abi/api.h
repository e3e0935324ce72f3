// What every profiler table has in common: entry points that never throw, never fail and always set
// the handle. One instance of this template per ABI version, in api_v1_v3.cc and api_v4_v7.cc.
#pragma once

#include "lockstep/profiler_versions.h"
#include "plugin/process/process.h"
#include "plugin/record/start_event_v1_v3.h"

namespace lockstep::plugin {

inline void count_unknown_start(void** handle, uint64_t type) {
  *handle = nullptr;
  count_unknown_type(type);
  count_call(own_log(), kUnknownKind, Call::Start);
  count_loss(kUnknownComm, kUnknownKind, Call::Start, Loss::Unknown);
}

template <int kVersion, typename Args>
uint64_t argument_of(unsigned state, const Args* args) {
  if (!state_has_argument(state)) return 0;
  if (args == nullptr) return kNoArgument;
  if (state == kCtrlAppendEnd) return static_cast<uint32_t>(args->appended_proxy_ops);
  if constexpr (kVersion <= 3) {
    return args->proxy_op.trans_size;
  } else {
    // transSize, pTimer and data share these eight bytes.
    return args->p_timer;
  }
}

template <int kVersion, typename Descr>
void start_any_coll(void* context, void** handle, const Descr& d) {
  if constexpr (kVersion <= 3) {
    start_legacy_coll<kVersion>(context, handle, d);
  } else {
    start_coll<kVersion>(context, handle, d);
  }
}

template <int kVersion, typename Descr>
void start_any_p2p(void* context, void** handle, const Descr& d) {
  if constexpr (kVersion <= 3) {
    start_legacy_p2p(context, handle, d);
  } else {
    start_p2p<kVersion>(context, handle, d);
  }
}

template <int kVersion, typename Descr, typename Args>
struct Api {
  static abi::ResultCode start(void* context, void** handle, Descr* d) noexcept;

  static abi::ResultCode stop(void* handle) noexcept {
    if (takes_call_on(handle)) record_stop(handle);
    return abi::kSuccess;
  }

  static abi::ResultCode state(void* handle, abi::State state, Args* args) noexcept {
    if (takes_call_on(handle)) {
      const auto number = static_cast<unsigned>(state);
      record_state<abi::table_version(kVersion).states_end>(handle, number,
                                                            argument_of<kVersion>(number, args));
    }
    return abi::kSuccess;
  }

  static abi::ResultCode finalize(void* context) noexcept {
    end_comm(context);
    return abi::kSuccess;
  }
};

template <int kVersion, typename Descr, typename Args>
abi::ResultCode Api<kVersion, Descr, Args>::start(void* context, void** handle, Descr* d) noexcept {
  if (handle == nullptr) return abi::kSuccess;
  *handle = nullptr;
  if (d == nullptr || !takes_starts()) return abi::kSuccess;
  const uint64_t type = d->type;  // one byte up to v4: what lies behind it there is garbage
  switch (type) {
    case abi::kGroup:
      start_plain<GroupRecord>(context, handle, *d);
      break;
    case abi::kColl:
      start_any_coll<kVersion>(context, handle, *d);
      break;
    case abi::kP2p:
      start_any_p2p<kVersion>(context, handle, *d);
      break;
    case abi::kProxyOp:
      start_proxy_op(context, handle, *d);
      break;
    case abi::kProxyStep:
      start_proxy_step(context, handle, *d);
      break;
    case abi::kProxyCtrl:
      start_plain<ProxyCtrlRecord>(context, handle, *d);
      break;
    default:
      if constexpr (abi::has_kind(kVersion, abi::kKernelCh)) {
        if (type == abi::kKernelCh)
          return start_kernel_ch<kVersion>(context, handle, *d), abi::kSuccess;
        if (type == abi::kNetPlugin) return start_net_plugin(context, handle, *d), abi::kSuccess;
      }
      if constexpr (abi::has_kind(kVersion, abi::kGroupApi)) {
        if (type == abi::kGroupApi) return start_group_api(context, handle, *d), abi::kSuccess;
        if (type == abi::kCollApi)
          return start_coll_api<kVersion>(context, handle, *d), abi::kSuccess;
        if (type == abi::kP2pApi)
          return start_p2p_api<kVersion>(context, handle, *d), abi::kSuccess;
        if (type == abi::kKernelLaunch)
          return start_kernel_launch(context, handle, *d), abi::kSuccess;
      }
      if constexpr (abi::has_kind(kVersion, abi::kCeColl)) {
        if (type == abi::kCeColl)
          return start_ce_coll<kVersion>(context, handle, *d), abi::kSuccess;
        if (type == abi::kCeSync) return start_ce_sync(context, handle, *d), abi::kSuccess;
        if (type == abi::kCeBatch) return start_ce_batch(context, handle, *d), abi::kSuccess;
      }
      if constexpr (abi::has_kind(kVersion, abi::kKernelPhase)) {
        if (type == abi::kKernelPhase && (recorder.known_kinds & abi::kKernelPhase) != 0)
          return start_kernel_phase(context, handle, *d), abi::kSuccess;
      }
      count_unknown_start(handle, type);
  }
  return abi::kSuccess;
}

}  // namespace lockstep::plugin
