// What NCCL or RCCL is to a plugin: a library that loads it, has the activation mask and the logger
// among its own, and says its version (HOST_VERSION, as 23102). host_run() drives one communicator
// through the table it is asked for, with the events that only some versions and libraries have,
// and prints the mask and what the plugin logs. Which library it is, its file's name says.
#include <dlfcn.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "lockstep/nccl_profiler_abi.h"

namespace abi = lockstep::abi;

extern "C" {
__attribute__((visibility("default"))) int ncclGetVersion(int* version);
__attribute__((visibility("default"))) int host_run(const char* plugin, int version);
}

namespace {

int32_t activation_mask;

void log_line(abi::LogLevel, unsigned long, const char*, int, const char* format, ...) {
  char line[2048];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  printf("log %s\n", line);
}

template <typename Table, typename Descr>
void drive(Table* table) {
  void* context = nullptr;
  table->init(&context, 7, &activation_mask, "world", 1, 1, 0, log_line);
  printf("mask %d\n", activation_mask);
  const auto start = [&](uint64_t type, void* parent, auto fill) {
    Descr descr;
    memset(static_cast<void*>(&descr), 0, sizeof descr);
    descr.type = type;
    descr.parent = parent;
    fill(descr);
    void* handle = nullptr;
    table->start_event(context, &handle, &descr);
    return handle;
  };
  abi::StateArgsV4 args{};
  args.p_timer = 5;
  const auto nothing = [](Descr&) {};
  void* const coll = start(abi::kColl, nullptr, [](Descr& d) {
    d.coll.func = "AllReduce";
    d.coll.datatype = "ncclFloat32";
    d.coll.count = 1024;
    if constexpr (sizeof(Descr) == sizeof(abi::v7::EventDescr)) d.coll.user_tag = 77;
  });
  void* const op = start(abi::kProxyOp, coll, [](Descr& d) { d.proxy_op.pid = 1; });
  table->record_event_state(op, abi::kKernelPhaseStop, &args);  // RCCL's ProxyDiagUpdate
  table->stop_event(op);
  void* const phase = start(abi::kKernelPhase, coll, nothing);  // RCCL's ProxyDiag
  if (phase != nullptr) {
    table->record_event_state(phase, abi::kKernelPhaseStop, &args);
    table->stop_event(phase);
  }
  start(uint64_t{1} << 20, coll, nothing);  // what nobody has yet
  start(uint64_t{1} << 20, coll, nothing);
  table->stop_event(coll);
  table->finalize(context);
}

}  // namespace

int ncclGetVersion(int* version) {
  const char* told = getenv("HOST_VERSION");
  *version = told != nullptr ? atoi(told) : 0;
  return 0;
}

int host_run(const char* plugin, int version) {
  void* const library = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return printf("%s\n", dlerror()), 1;
  void* const table = dlsym(library, ("ncclProfiler_v" + std::to_string(version)).c_str());
  if (table == nullptr) return 1;
  if (version >= 7) {
    drive<abi::TableV7, abi::v7::EventDescr>(static_cast<abi::TableV7*>(table));
  } else {
    drive<abi::TableV6, abi::v6::EventDescr>(static_cast<abi::TableV6*>(table));
  }
  fflush(stdout);
  return 0;
}
