// A profiler plugin that only counts what it is called with, to test the drivers with. It exports
// all seven tables and writes COUNT_DIR/<pid>.<load time>.json at each finalize and when it is
// unloaded: calls per kind, initialised communicators, the table in use, and how many calls made no
// sense. COUNT_MASK sets the activation mask (default: all). A handle is the event's kind and a
// serial number, so that no state of its own can be wrong about either.
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "lockstep/event.h"
#include "lockstep/nccl_profiler_abi.h"

namespace {

using lockstep::Kind;
using lockstep::kKindNames;
using lockstep::kKinds;
namespace abi = lockstep::abi;

struct Counter {
  std::atomic<uint64_t> calls[3][kKinds + 1];
  std::atomic<uint64_t> communicators, finalizes, nonsense, events;
  std::atomic<uint64_t> bytes_moved;  // sum of transSize where it is valid
  std::atomic<int> table;
  int64_t loaded_ns = 0;

  Counter() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    loaded_ns = now.tv_sec * int64_t{1000000000} + now.tv_nsec;
  }
  ~Counter() { write(); }
  void write() const;
};
Counter counter;

void Counter::write() const {
  const char* dir = getenv("COUNT_DIR");
  if (dir == nullptr) return;
  const std::string path =
      std::string(dir) + "/" + std::to_string(getpid()) + "." + std::to_string(loaded_ns) + ".json";
  FILE* file = fopen(path.c_str(), "w");
  if (file == nullptr) return;
  fprintf(
      file,
      "{\"table\":%d,\"communicators\":%lu,\"finalizes\":%lu,\"nonsense\":%lu,\"bytes_moved\":%lu",
      table.load(), communicators.load(), finalizes.load(), nonsense.load(), bytes_moved.load());
  for (int call = 0; call < 3; ++call) {
    fprintf(file, ",\"%s\":{", lockstep::kCallNames[call]);
    const char* separator = "";
    for (unsigned kind = 0; kind <= kKinds; ++kind) {
      if (calls[call][kind] == 0) continue;
      fprintf(file, "%s\"%s\":%lu", separator, kKindNames[kind], calls[call][kind].load());
      separator = ",";
    }
    fprintf(file, "}");
  }
  fprintf(file, "}\n");
  fclose(file);
}

void expect(bool sense) {
  if (!sense) counter.nonsense.fetch_add(1);
}

unsigned kind_of_handle(void* handle) {
  const auto number = reinterpret_cast<uintptr_t>(handle);
  return number == 0 || (number & 0xff) >= kKinds ? kKinds : static_cast<unsigned>(number & 0xff);
}

abi::ResultCode begin(void** context, int32_t* mask, int table) {
  const char* wanted = getenv("COUNT_MASK");
  __atomic_store_n(mask,
                   wanted == nullptr ? 0xffff : static_cast<int32_t>(strtol(wanted, nullptr, 0)),
                   __ATOMIC_RELAXED);
  *context = reinterpret_cast<void*>(counter.communicators.fetch_add(1) + 1);
  counter.table = table;
  return abi::kSuccess;
}

template <int kTable>
abi::ResultCode init_v1(void** context, int32_t* mask) {
  return begin(context, mask, kTable);
}
abi::ResultCode init_v4(void** context, int32_t* mask, const char* name, uint64_t id, int32_t nodes,
                        int32_t ranks, int32_t rank, abi::DebugLogger log) {
  expect(id != 0 && name != nullptr && nodes >= 1 && nodes <= ranks && rank >= 0 && rank < ranks &&
         log != nullptr);
  return begin(context, mask, 4);
}
template <int kTable>
abi::ResultCode init_v5(void** context, uint64_t id, int32_t* mask, const char* name, int32_t nodes,
                        int32_t ranks, int32_t rank, abi::DebugLogger log) {
  const abi::ResultCode result = init_v4(context, mask, name, id, nodes, ranks, rank, log);
  counter.table = kTable;
  return result;
}

// Follows every string, so that a driver that passes garbage dies here and not in a user's plugin.
template <typename Descr>
void check_strings(const Descr& descr, unsigned kind) {
  if (kind == static_cast<unsigned>(Kind::Coll)) {
    if constexpr (sizeof(descr.coll.func) == sizeof(char*)) expect(strlen(descr.coll.func) > 2);
  }
  if (kind == static_cast<unsigned>(Kind::ProxyOp)) {
    expect(descr.proxy_op.is_send == 0 || descr.proxy_op.is_send == 1);
    expect(descr.proxy_op.pid != 0);
  }
}

template <typename Descr>
abi::ResultCode start(void* context, void** handle, Descr* descr) {
  const auto type = static_cast<uint64_t>(descr->type);
  const unsigned kind =
      type == 0 || (type & (type - 1)) != 0 ? kKinds : static_cast<unsigned>(__builtin_ctzll(type));
  const bool known = kind < kKinds;
  expect(known);
  expect(context != nullptr);
  counter.calls[0][known ? kind : kKinds].fetch_add(1);
  check_strings(*descr, kind);
  *handle =
      reinterpret_cast<void*>((counter.events.fetch_add(1) + 1) << 8 | (known ? kind : kKinds));
  return abi::kSuccess;
}

abi::ResultCode stop(void* handle) {
  counter.calls[2][kind_of_handle(handle)].fetch_add(1);
  return abi::kSuccess;
}

template <typename Args>
abi::ResultCode record(void* handle, abi::State state, Args* args) {
  const unsigned kind = kind_of_handle(handle);
  expect(state < abi::kStateCount);
  const bool group = kind == static_cast<unsigned>(Kind::GroupApi);
  expect(group || args != nullptr);
  counter.calls[1][kind].fetch_add(1);
  if constexpr (sizeof(Args) == 8) {
    if (state == abi::kProxyStepSendWait || state == abi::kProxyStepRecvFlushWait)
      counter.bytes_moved += args->trans_size;
  }
  return abi::kSuccess;
}

abi::ResultCode finalize(void* context) {
  expect(context != nullptr);
  counter.finalizes.fetch_add(1);
  counter.write();
  return abi::kSuccess;
}

}  // namespace

#define EXPORT_TABLE(N, INIT, ARGS)                                        \
  __attribute__((visibility("default"))) abi::TableV##N ncclProfiler_v##N{ \
      "count", INIT, start<abi::v##N::EventDescr>, stop, record<abi::ARGS>, finalize};

extern "C" {
EXPORT_TABLE(1, init_v1<1>, StateArgsV1)
EXPORT_TABLE(2, init_v1<2>, StateArgsV1)
EXPORT_TABLE(3, init_v1<3>, StateArgsV1)
EXPORT_TABLE(4, init_v4, StateArgsV4)
EXPORT_TABLE(5, init_v5<5>, StateArgsV4)
EXPORT_TABLE(6, init_v5<6>, StateArgsV4)
EXPORT_TABLE(7, init_v5<7>, StateArgsV4)
}
