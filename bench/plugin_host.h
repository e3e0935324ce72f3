// Loads a profiler plugin the way NCCL does and drives one communicator of it: what the benches
// share. Any plugin with a v5, v6 or v4 table will do, so that ours and a peer's are measured by
// the same calls in the same run.
#pragma once

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "lockstep/event.h"
#include "lockstep/nccl_profiler_abi.h"

namespace lockstep::bench {

// Descriptors of v6 and v5 have the same layout for the kinds that both know.
using Descr = abi::v6::EventDescr;
using Args = abi::StateArgsV4;

struct Host {
  abi::TableV6 table{};
  std::string name;
  void* context = nullptr;
  int32_t mask = 0;

  // Ends the bench with a sentence when the plugin cannot be loaded.
  static Host load(const std::string& path) {
    Host host;
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      std::fprintf(stderr, "cannot load %s: %s\n", path.c_str(), dlerror());
      std::exit(3);
    }
    for (const char* symbol : {"ncclProfiler_v6", "ncclProfiler_v5"}) {
      if (const void* found = dlsym(library, symbol)) {
        host.table = *static_cast<const abi::TableV6*>(found);
        host.name = path.substr(path.rfind('/') + 1) + " (" + symbol + ")";
        return host;
      }
    }
    std::fprintf(stderr, "%s exports neither ncclProfiler_v6 nor ncclProfiler_v5\n", path.c_str());
    std::exit(3);
  }

  void init(uint64_t comm_id) { table.init(&context, comm_id, &mask, "bench", 1, 2, 0, quiet); }
  void finalize() { table.finalize(context); }

  void* start(Descr& d) const {
    void* handle = nullptr;
    table.start_event(context, &handle, &d);
    return handle;
  }
  void state(void* handle, abi::State state, uint64_t argument) const {
    Args args{};
    args.p_timer = argument;
    table.record_event_state(handle, state, &args);
  }
  void stop(void* handle) const { table.stop_event(handle); }

  static void quiet(abi::LogLevel, unsigned long, const char*, int, const char*, ...) {}
};

// A descriptor with the fields that NCCL fills for this kind.
inline Descr descriptor(Kind kind, void* parent) {
  Descr d{};
  d.type = uint64_t{1} << static_cast<unsigned>(kind);
  d.parent = parent;
  switch (kind) {
    case Kind::Coll:
      d.coll = {0, "AllReduce", nullptr, nullptr,  1 << 20, 0, "ncclFloat32",
                2, 9,           "RING",  "SIMPLE", nullptr};
      break;
    case Kind::P2p:
      d.p2p = {"Send", nullptr, "ncclFloat32", 1 << 20, 1, 2, nullptr};
      break;
    case Kind::ProxyOp:
      d.proxy_op = {static_cast<int32_t>(getpid()), 0, 1, 64, 4 << 20, 1};
      break;
    case Kind::CollApi:
      d.coll_api = {"AllReduce", 1 << 20, "ncclFloat32", 0, nullptr, false};
      break;
    case Kind::P2pApi:
      d.p2p_api = {"Send", 1 << 20, "ncclFloat32", nullptr, false};
      break;
    case Kind::GroupApi:
      d.group_api = {false, 1};
      break;
    default:
      break;
  }
  return d;
}

}  // namespace lockstep::bench
