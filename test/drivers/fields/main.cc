// Gives a profiler plugin one start of every kind that a table knows, each field with a value of its
// own, so that a test can look for every value where it belongs (test/cli/every_field.py has the same
// values). Usage: lockstep-fields PLUGIN VERSION, from 1 to 7.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "lockstep/nccl_net_descr.h"
#include "lockstep/nccl_profiler_abi.h"

namespace lockstep::driver {
namespace {

constexpr int32_t kRank = 5;

template <typename Pointer = void*>
Pointer at(uintptr_t address) {
  return reinterpret_cast<Pointer>(address);  // NOLINT(performance-no-int-to-ptr): never followed
}

// Numbers of ncclFunc_t, ncclDataType_t and of algorithms and protocols in table 1; names later.
void name_it(uint8_t number, const char*, uint8_t* member) { *member = number; }
void name_it(uint8_t, const char* name, const char** member) { *member = name; }

template <int kVersion, typename Coll>
void fill_coll(Coll* c) {
  c->seq_number = 0x51;
  name_it(4, "AllReduce", &c->func);
  name_it(7, "ncclFloat32", &c->datatype);
  name_it(1, "RING", &c->algo);
  name_it(1, "LL128", &c->proto);
  c->send_buff = at(0x53);
  c->recv_buff = at(0x54);
  c->count = 0x52;
  c->root = -7;
  c->warps = 0x56;
  if constexpr (kVersion <= 3) {
    c->name = "world";
    c->comm_hash = 0x99;
    c->max_channels = 0x55;
  } else {
    c->channels = 0x55;
  }
  if constexpr (kVersion <= 2) c->traffic_bytes = 0x57;
  if constexpr (kVersion == 1) {
    c->op = 0x58;
    c->is_collnet = 2;
    c->is_nvls = 0;
  }
  if constexpr (kVersion >= 5) c->parent_group = at(0x59);
  if constexpr (kVersion >= 7) {
    c->kernel_variant = "variant";
    c->is_sym_coll = true;
    c->user_tag = 0x5a;
  }
}

template <int kVersion, typename P2p>
void fill_p2p(P2p* p) {
  name_it(6, "Send", &p->func);
  name_it(7, "ncclFloat32", &p->datatype);
  p->buff = at(0x62);
  p->count = 0x61;
  p->peer = -8;
  if constexpr (kVersion <= 3) {
    p->name = "world";
    p->comm_hash = 0x99;
  } else {
    p->channels = 0x63;
  }
  if constexpr (kVersion >= 5) p->parent_group = at(0x64);
  if constexpr (kVersion >= 7) p->user_tag = 0x65;
}

template <int kVersion, typename Table, typename Descr>
class Caller {
 public:
  Caller(Table* table, void* context) : table_(table), context_(context) {}

  void call_all() {
    call(abi::kGroup, [](Descr*) {});
    call(abi::kColl, [](Descr* d) { fill_coll<kVersion>(&d->coll); });
    call(abi::kP2p, [](Descr* d) { fill_p2p<kVersion>(&d->p2p); });
    call(abi::kProxyOp,
         [](Descr* d) { d->proxy_op = {static_cast<int32_t>(getpid()), 0x71, -9, 0x72, 0x73, 1}; });
    call(abi::kProxyStep, [](Descr* d) { d->proxy_step.step = 0x74; });
    call(abi::kProxyCtrl, [](Descr*) {});
    if constexpr (kVersion >= 3) call_kernels_and_network();
    if constexpr (kVersion >= 5) call_api();
    if constexpr (kVersion >= 6) call_copy_engine();
    if constexpr (kVersion >= 7)
      call(abi::kKernelPhase, [](Descr* d) { d->kernel_phase = {0xb1, 2, "compute", 0xb2}; });
  }

 private:
  template <typename Fill>
  void call(uint64_t type, Fill fill) {
    Descr d{};
    d.type = static_cast<decltype(d.type)>(type);
    d.rank = kRank;
    d.parent = nullptr;
    fill(&d);
    void* handle = nullptr;
    table_->start_event(context_, &handle, &d);
    table_->stop_event(handle);
  }
  void call_kernels_and_network() {
    call(abi::kKernelCh, [](Descr* d) {
      d->kernel_ch.channel_id = 0x75;
      if constexpr (kVersion >= 4) d->kernel_ch.p_timer = 0x76;
    });
    static abi::net::IbDescrV1 ib{abi::net::kIbQp, {0x81, 0x83, 0x82, 0x85, 0x84}};
    call(abi::kNetPlugin, [](Descr* d) { d->net_plugin = {abi::net::kIbV1, &ib}; });
    static abi::net::SocketDescrV1 socket{abi::net::kSocket, {0x86, 0x87, 0x88}};
    call(abi::kNetPlugin, [](Descr* d) { d->net_plugin = {abi::net::kSocketV1, &socket}; });
  }
  void call_api() {
    call(abi::kGroupApi, [](Descr* d) {
      d->group_api.graph_captured = true;
      d->group_api.group_depth = 0x91;
    });
    call(abi::kCollApi, [](Descr* d) {
      auto& c = d->coll_api;
      c.func = "Broadcast";
      c.count = 0x92;
      c.datatype = "ncclInt8";
      c.root = -10;
      c.stream = at(0x93);
      c.graph_captured = true;
      if constexpr (kVersion >= 7) c.user_tag = 0x94;
    });
    call(abi::kP2pApi, [](Descr* d) {
      auto& p = d->p2p_api;
      p.func = "Recv";
      p.count = 0x95;
      p.datatype = "ncclInt8";
      p.stream = at(0x96);
      p.graph_captured = true;
      if constexpr (kVersion >= 7) p.user_tag = 0x97;
    });
    call(abi::kKernelLaunch, [](Descr* d) { d->kernel_launch.stream = at(0x98); });
  }
  void call_copy_engine() {
    call(abi::kCeColl, [](Descr* d) {
      auto& c = d->ce_coll;
      c.seq_number = 0xa1;
      c.func = "AllGather";
      c.send_buff = at(0xa3);
      c.recv_buff = at(0xa4);
      c.count = 0xa2;
      c.root = -11;
      c.datatype = "ncclFloat16";
      c.sync_strategy = "strategy";
      c.intra_batch_sync = true;
      c.batch_size = 0xa5;
      c.batches = 0xa6;
      c.ce_seq = 0xa7;
      c.stream = at(0xa8);
      if constexpr (kVersion >= 7) c.user_tag = 0xa9;
    });
    call(abi::kCeSync, [](Descr* d) {
      d->ce_sync.is_complete = true;
      d->ce_sync.ranks = 0xaa;
    });
    call(abi::kCeBatch, [](Descr* d) {
      d->ce_batch.ops = 0xab;
      d->ce_batch.total_bytes = 0xac;
      d->ce_batch.use_intra_sync = true;
    });
  }

  Table* table_;
  void* context_;
};

void log_nothing(abi::LogLevel, unsigned long, const char*, int, const char*, ...) {}

template <int kVersion, typename Table, typename Descr>
void call_table(void* found) {
  auto* table = static_cast<Table*>(found);
  void* context = nullptr;
  int32_t mask = 0;
  if constexpr (kVersion >= 5) {
    table->init(&context, 0x99, &mask, "world", 0x12, 0x11, 0x10, log_nothing);
  } else if constexpr (kVersion == 4) {
    table->init(&context, &mask, "world", 0x99, 0x12, 0x11, 0x10, log_nothing);
  } else {
    table->init(&context, &mask);
  }
  Caller<kVersion, Table, Descr>(table, context).call_all();
  table->finalize(context);
}

int run(const char* path, int version) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void* const table = library == nullptr
                          ? nullptr
                          : dlsym(library, ("ncclProfiler_v" + std::to_string(version)).c_str());
  if (table == nullptr) {
    std::fprintf(stderr, "lockstep-fields: no table v%d in %s\n", version, path);
    return 3;
  }
  using namespace abi;
  switch (version) {
    case 1:
      return call_table<1, TableV1, v1::EventDescr>(table), 0;
    case 2:
      return call_table<2, TableV2, v2::EventDescr>(table), 0;
    case 3:
      return call_table<3, TableV3, v3::EventDescr>(table), 0;
    case 4:
      return call_table<4, TableV4, v4::EventDescr>(table), 0;
    case 5:
      return call_table<5, TableV5, v5::EventDescr>(table), 0;
    case 6:
      return call_table<6, TableV6, v6::EventDescr>(table), 0;
    default:
      return call_table<7, TableV7, v7::EventDescr>(table), 0;
  }
}

}  // namespace
}  // namespace lockstep::driver

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: lockstep-fields PLUGIN VERSION\n", stderr);
    return 2;
  }
  return lockstep::driver::run(argv[1], std::atoi(argv[2]));
}
