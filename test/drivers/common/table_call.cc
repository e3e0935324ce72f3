#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "test/drivers/common/plugin.h"

namespace lockstep::driver {
namespace {

// As NCCL's logger: warnings always, the rest only with LOCKSTEP_TEST_LOG set, so that tests can
// look at it.
void log_to_stderr(abi::LogLevel level, unsigned long, const char*, int, const char* format, ...) {
  static const bool verbose = getenv("LOCKSTEP_TEST_LOG") != nullptr;
  if (level != abi::kLogWarn && !verbose) return;
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  fprintf(stderr, "plugin %s: %s\n", level == abi::kLogWarn ? "WARN" : "INFO", line);
}

// NCCL's older shims leave what they do not set as it was on the stack.
template <typename Descr>
Descr garbage() {
  Descr descr;
  memset(static_cast<void*>(&descr), 0xa5, sizeof descr);
  return descr;
}

uint8_t function_number(const char* name) {
  static const char* const kNames[] = {"Broadcast", "Reduce",   "AllGather", "ReduceScatter",
                                       "AllReduce", "SendRecv", "Send",      "Recv",
                                       "AlltoAll",  "Scatter",  "Gather"};
  for (uint8_t i = 0; i < sizeof kNames / sizeof *kNames; ++i) {
    if (name != nullptr && strcmp(name, kNames[i]) == 0) return i;
  }
  return 0;
}

// The members that v1 to v4 share with v7, by name.
template <typename Descr>
void copy_proxy_members(const abi::v7::EventDescr& event, Descr* old) {
  if (event.type == abi::kProxyOp) old->proxy_op = event.proxy_op;
  if (event.type == abi::kProxyStep) old->proxy_step = event.proxy_step;
}

template <typename Coll>
void copy_coll(const abi::v7::Coll& from, Coll* to) {
  to->seq_number = from.seq_number;
  to->send_buff = from.send_buff;
  to->recv_buff = from.recv_buff;
  to->count = from.count;
  to->root = from.root;
  to->warps = from.warps;
}

abi::v1::EventDescr convert(const abi::v7::EventDescr& event, abi::v1::EventDescr*) {
  abi::v1::EventDescr old{};
  if (event.type == abi::kColl) {
    copy_coll(event.coll, &old.coll);
    old.coll.func = function_number(event.coll.func);
    old.coll.max_channels = event.coll.channels;
  } else if (event.type == abi::kP2p) {
    old.p2p = {nullptr,        0, function_number(event.p2p.func),
               event.p2p.buff, 0, event.p2p.count,
               event.p2p.peer};
  }
  copy_proxy_members(event, &old);
  return old;
}

template <typename Descr>
Descr convert_named(const abi::v7::EventDescr& event) {
  Descr old{};
  if (event.type == abi::kColl) {
    copy_coll(event.coll, &old.coll);
    old.coll.func = event.coll.func;
    old.coll.datatype = event.coll.datatype;
    old.coll.max_channels = event.coll.channels;
    old.coll.algo = event.coll.algo;
    old.coll.proto = event.coll.proto;
  } else if (event.type == abi::kP2p) {
    old.p2p = {
        nullptr,       0, event.p2p.func, event.p2p.buff, event.p2p.datatype, event.p2p.count,
        event.p2p.peer};
  }
  copy_proxy_members(event, &old);
  return old;
}

abi::v2::EventDescr convert(const abi::v7::EventDescr& event, abi::v2::EventDescr*) {
  return convert_named<abi::v2::EventDescr>(event);
}

abi::v3::EventDescr convert(const abi::v7::EventDescr& event, abi::v3::EventDescr*) {
  auto old = convert_named<abi::v3::EventDescr>(event);
  if (event.type == abi::kKernelCh) old.kernel_ch.channel_id = event.kernel_ch.channel_id;
  if (event.type == abi::kNetPlugin) old.net_plugin = event.net_plugin;
  return old;
}

abi::v4::EventDescr convert(const abi::v7::EventDescr& event, abi::v4::EventDescr*) {
  auto old = garbage<abi::v4::EventDescr>();
  if (event.type == abi::kColl) {
    memcpy(static_cast<void*>(&old.coll), &event.coll, sizeof old.coll);
  } else if (event.type == abi::kP2p) {
    const uint8_t channels = old.p2p.channels;
    memcpy(static_cast<void*>(&old.p2p), &event.p2p, sizeof old.p2p);
    old.p2p.channels = channels;
  }
  if (event.type == abi::kKernelCh) old.kernel_ch = event.kernel_ch;
  if (event.type == abi::kNetPlugin) old.net_plugin = event.net_plugin;
  copy_proxy_members(event, &old);
  return old;
}

// v5 and v6 are prefixes of v7; the copy has their size, so that a read behind it is a read NCCL
// would not survive.
template <typename Descr>
Descr convert(const abi::v7::EventDescr& event, Descr*) {
  Descr descr;
  memcpy(static_cast<void*>(&descr), &event, sizeof descr);
  return descr;
}

template <typename Table, typename Descr, typename Args, int kVersion>
class TableCallOf : public TableCall {
 public:
  explicit TableCallOf(void* table) : table_(static_cast<Table*>(table)) {}
  int version() const override { return kVersion; }

  abi::ResultCode init(void** context, int32_t* mask, const CommFacts& comm) override {
    const char* name = comm.name.c_str();
    if constexpr (kVersion >= 5) {
      return table_->init(context, comm.id, mask, name, comm.nodes, comm.ranks, comm.rank,
                          log_to_stderr);
    } else if constexpr (kVersion == 4) {
      return table_->init(context, mask, name, comm.id, comm.nodes, comm.ranks, comm.rank,
                          log_to_stderr);
    } else {
      return table_->init(context, mask);
    }
  }

  bool start(void* context, void** handle, const abi::v7::EventDescr& event) override {
    constexpr int kNoKind = 63;  // no version knows it, so none filters it
    const int bit = event.type != 0 ? __builtin_ctzll(event.type) : kNoKind;
    if (!table_delivers(kVersion, static_cast<Kind>(bit))) {
      if (kVersion <= 3) *handle = nullptr;
      return false;
    }
    Descr descr = convert(event, static_cast<Descr*>(nullptr));
    descr.type = static_cast<decltype(descr.type)>(event.type);
    descr.rank = event.rank;
    descr.parent = event.parent;
    if (kVersion <= 4 && event.type == abi::kColl) descr.parent = event.coll.parent_group;
    if (kVersion <= 4 && event.type == abi::kP2p) descr.parent = event.p2p.parent_group;
    table_->start_event(context, handle, &descr);
    return true;
  }

  bool record(void* handle, abi::State state, const abi::StateArgsV4* args) override {
    if (!table_delivers(kVersion, state)) return false;
    Args copy{};
    if constexpr (kVersion >= 4) {
      if (args != nullptr) copy = *args;
    } else if (args != nullptr && state >= abi::kProxyCtrlIdle &&
               state <= abi::kProxyCtrlAppendEnd) {
      copy.appended_proxy_ops = args->appended_proxy_ops;
    }
    table_->record_event_state(handle, state, args == nullptr && kVersion >= 6 ? nullptr : &copy);
    return true;
  }

  void stop(void* handle) override { table_->stop_event(handle); }
  void finalize(void* context) override { table_->finalize(context); }

 private:
  Table* table_;
};

template <typename Table, typename Descr, typename Args, int kVersion>
std::unique_ptr<TableCall> make(void* table) {
  return std::make_unique<TableCallOf<Table, Descr, Args, kVersion>>(table);
}

}  // namespace

std::unique_ptr<TableCall> make_table_call(int version, void* table) {
  using namespace abi;
  switch (version) {
    case 1:
      return make<TableV1, v1::EventDescr, StateArgsV1, 1>(table);
    case 2:
      return make<TableV2, v2::EventDescr, StateArgsV1, 2>(table);
    case 3:
      return make<TableV3, v3::EventDescr, StateArgsV1, 3>(table);
    case 4:
      return make<TableV4, v4::EventDescr, StateArgsV4, 4>(table);
    case 5:
      return make<TableV5, v5::EventDescr, StateArgsV4, 5>(table);
    case 6:
      return make<TableV6, v6::EventDescr, StateArgsV4, 6>(table);
    default:
      return make<TableV7, v7::EventDescr, StateArgsV4, 7>(table);
  }
}

bool table_delivers(int version, Kind kind) {
  switch (kind) {
    case Kind::KernelCh:
    case Kind::NetPlugin:
      return version >= 3;
    case Kind::GroupApi:
    case Kind::CollApi:
    case Kind::P2pApi:
    case Kind::KernelLaunch:
      return version >= 5;
    case Kind::CeColl:
    case Kind::CeSync:
    case Kind::CeBatch:
      return version >= 6;
    case Kind::KernelPhase:
      return version >= 7;
    default:
      return true;
  }
}

bool table_delivers(int version, abi::State state) {
  if (version <= 3) return state >= abi::kProxyStepSendGpuWait && state <= abi::kProxyCtrlAppendEnd;
  if (version == 4) return state >= abi::kProxyStepSendGpuWait && state <= abi::kKernelChStop;
  if (version == 5) return state >= abi::kProxyStepSendGpuWait && state <= abi::kGroupEndApiStart;
  return true;
}

}  // namespace lockstep::driver
