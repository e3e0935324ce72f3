#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "test/drivers/abuse/abuse.h"

namespace lockstep::driver {

Victim::Victim(const std::string& path, int version) : path_(path), version_(version) { load(); }

void Victim::load() {
  library_ = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* table = library_ != nullptr
                    ? dlsym(library_, ("ncclProfiler_v" + std::to_string(version_)).c_str())
                    : nullptr;
  if (table == nullptr) {
    std::fprintf(stderr, "cannot use table v%d of %s: %s\n", version_, path_.c_str(), dlerror());
    std::exit(3);
  }
  table_ = make_table_call(version_, table);
}

// The table stays usable on purpose: late calls after dlclose are one of the scenarios.
void Victim::unload() { dlclose(library_); }

void* Victim::init(uint64_t comm_id) const {
  void* context = nullptr;
  int32_t mask = 0;
  table_->init(&context, &mask, {"abuse", comm_id, 1, 1, 0});
  if (context == nullptr) {
    std::fprintf(stderr, "init gave no context: NCCL would lose its reference count\n");
    std::exit(1);
  }
  return context;
}

void* Victim::start(void* context, const abi::v7::EventDescr& d, void* before) const {
  void* handle = before;
  table_->start(context, &handle, d);
  return handle;
}

void* Victim::start(Kind kind, void* context, void* parent) const {
  abi::v7::EventDescr d{};
  d.type = uint64_t{1} << static_cast<unsigned>(kind);
  d.parent = parent;
  if (kind == Kind::Coll) {
    d.coll = {1,      "AllReduce", nullptr, nullptr, 1 << 20, 0, "ncclFloat32", 2, 9,
              "RING", "SIMPLE",    nullptr, nullptr, false,   0};
  }
  if (kind == Kind::ProxyOp) d.proxy_op = {static_cast<int32_t>(getpid()), 0, 1, 4, 1 << 20, 1};
  return start(context, d, nullptr);
}

void* Victim::operation(void* context) const {
  void* coll = start(Kind::Coll, context, nullptr);
  stop(coll);
  for (int channel = 0; channel < 2; ++channel) {
    void* kernel = start(Kind::KernelCh, context, coll);
    abi::StateArgsV4 args{};
    args.p_timer = 1;
    record(kernel, kKernelChStop, &args);
    stop(kernel);
  }
  void* op = start(Kind::ProxyOp, context, coll);
  void* step = start(Kind::ProxyStep, context, op);
  record(step, kSendGpuWait, nullptr);
  stop(step);
  stop(op);
  return coll;
}

}  // namespace lockstep::driver
