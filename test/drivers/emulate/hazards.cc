#include "test/drivers/emulate/hazards.h"

#include <unistd.h>

#include "lockstep/nccl_net_descr.h"

namespace lockstep::driver {
namespace {

void* const kForeignContext = reinterpret_cast<void*>(uintptr_t{0x7f00dead1000});
void* const kForeignParent = reinterpret_cast<void*>(uintptr_t{0x7f00dead2000});

// Another process's send, handed to us through shared memory with that process's pointers (PXN).
void play_foreign_op(Plugin* plugin) {
  abi::v7::EventDescr event{};
  event.parent = kForeignParent;
  event.rank = 5;
  event.proxy_op = {getpid() + 1, 0, 6, 2, 131072, 1};
  void* op = nullptr;
  plugin->start(Kind::ProxyOp, kForeignContext, &op, event);
  for (int i = 0; i < 2; ++i) {
    abi::v7::EventDescr part{};
    part.parent = op;
    part.rank = 5;
    part.proxy_step.step = i;
    void* step = nullptr;
    abi::StateArgsV4 args{};
    plugin->start(Kind::ProxyStep, kForeignContext, &step, part);
    plugin->record(Kind::ProxyStep, step, abi::kProxyStepSendGpuWait, &args);
    args.trans_size = 131072;
    plugin->record(Kind::ProxyStep, step, abi::kProxyStepSendWait, &args);
    plugin->stop(Kind::ProxyStep, step);
  }
  plugin->stop(Kind::ProxyOp, op);
}

// The InfiniBand transport stops a request at its completion and again when the request is reaped.
void play_net_stops(Plugin* plugin, void* context) {
  abi::net::IbDescrV1 transfer{};
  transfer.type = abi::net::kIbQp;
  transfer.qp = {0, 77, 1, 1234, 4096};
  abi::v7::EventDescr event{};
  event.net_plugin = {abi::net::kIbV1, &transfer};
  void* net = nullptr;
  plugin->start(Kind::NetPlugin, context, &net, event);
  plugin->stop(Kind::NetPlugin, net);
  plugin->stop(Kind::NetPlugin, net);
  plugin->stop(Kind::NetPlugin, nullptr);
}

// P lagged a whole lap behind the GPU: the stop stamp is older than the start stamp.
void play_backward_kernel(Plugin* plugin, void* context) {
  abi::v7::EventDescr event{};
  event.kernel_ch = {63, 2'000'000'000};
  void* kernel = nullptr;
  abi::StateArgsV4 args{};
  args.p_timer = 1'000'000'000;
  plugin->start(Kind::KernelCh, context, &kernel, event);
  plugin->record(Kind::KernelCh, kernel, abi::kKernelChStop, &args);
  plugin->stop(Kind::KernelCh, kernel);
}

// CollNet: no channels, and a ProxyOp that never gets a state or a stop.
void play_collnet(Plugin* plugin, void* context) {
  abi::v7::EventDescr event{};
  event.coll.func = "AllReduce";
  event.coll.datatype = "Unknown";
  event.coll.algo = "COLLNET_DIRECT";
  event.coll.proto = "SIMPLE";
  void* coll = nullptr;
  plugin->start(Kind::Coll, context, &coll, event);
  abi::v7::EventDescr op{};
  op.parent = coll;
  op.proxy_op = {getpid(), 0, 0, 1, 4096, 0};
  void* lost = nullptr;
  plugin->start(Kind::ProxyOp, context, &lost, op);
  plugin->stop(Kind::Coll, coll);
}

// Receive steps start again while irecv gives no request; send steps report the wait at poll rate.
void play_storms(Plugin* plugin, void* context) {
  void* step = nullptr;
  abi::v7::EventDescr event{};
  for (int i = 0; i < 20; ++i) plugin->start(Kind::ProxyStep, context, &step, event);
  const abi::StateArgsV4 args{};
  for (int i = 0; i < 20; ++i)
    plugin->record(Kind::ProxyStep, step, abi::kProxyStepSendPeerWait, &args);
  plugin->stop(Kind::ProxyStep, step);
}

}  // namespace

void play_hazards(Plugin* plugin, void* context, ApiState* api) {
  play_foreign_op(plugin);
  play_net_stops(plugin, context);
  play_backward_kernel(plugin, context);
  play_collnet(plugin, context);
  play_storms(plugin, context);
  // The mask lost its bits: the old handle is stopped once per collective.
  for (int i = 0; i < 3; ++i) plugin->stop(Kind::CollApi, api->coll_api);
}

}  // namespace lockstep::driver
