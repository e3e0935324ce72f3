// A profiler plugin that writes down every call it gets, to compare what a plugin is called with
// alone and behind ours. Handles are named by what they stand for (kind, descriptor, parent's
// name), not by address, so that two runs of the same log write the same lines whatever the
// threads' order. RECORD_MASK sets the activation mask (default: all); RECORD_SWITCH=N:MASK,...
// changes it when the N-th Coll has started; RECORD_NAME is what the tables call themselves;
// RECORD_DIR/<pid>.<thread>.txt gets one file per thread. It counts handles and contexts
// that are none of its own as "FOREIGN".
#include <pthread.h>
#include <sys/syscall.h>
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
namespace abi = lockstep::abi;

constexpr uint64_t kMagic = 0x5245434f52444552;
struct Named {
  uint64_t magic = kMagic;
  std::string name;
};

FILE* own_file() {
  static thread_local FILE* file = [] {
    const std::string path = std::string(getenv("RECORD_DIR")) + "/" + std::to_string(getpid()) +
                             "." + std::to_string(syscall(SYS_gettid)) + ".txt";
    return fopen(path.c_str(), "w");
  }();
  return file;
}

void write_line(const std::string& line) {
  fprintf(own_file(), "%s\n", line.c_str());
  fflush(own_file());
}

// NULL and strangers are named as such; nothing of a stranger is read but its first word.
std::string name_of(const void* named) {
  if (named == nullptr) return "-";
  const auto address = reinterpret_cast<uintptr_t>(named);
  if (address < 4096 || address % alignof(Named) != 0 || address >> 47 != 0) return "FOREIGN";
  const auto* known = static_cast<const Named*>(named);
  return known->magic == kMagic ? known->name : "FOREIGN";
}

std::string hash_of(const std::string& text) {
  uint64_t hash = 1469598103934665603ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  char digits[20];
  snprintf(digits, sizeof digits, "%016lx", hash);
  return digits;
}

[[maybe_unused]] std::string text(const char* chars) { return chars == nullptr ? "NULL" : chars; }

std::string words(std::initializer_list<uint64_t> numbers) {
  std::string text;
  for (const uint64_t number : numbers) text += " " + std::to_string(number);
  return text;
}
[[maybe_unused]] uint64_t address(const void* pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

template <typename Descr>
std::string payload(const Descr& d, Kind kind) {
  if (kind == Kind::Coll) {
    if constexpr (sizeof(d.coll.func) == sizeof(char*)) {
      return text(d.coll.func) + " " + text(d.coll.datatype) + " " + text(d.coll.algo) + " " +
             text(d.coll.proto) +
             words({d.coll.seq_number, d.coll.count, address(d.coll.send_buff)});
    } else {
      return words({d.coll.func, d.coll.seq_number, d.coll.count});
    }
  } else if (kind == Kind::P2p) {
    if constexpr (sizeof(d.p2p.func) == sizeof(char*)) {
      return text(d.p2p.func) + " " + text(d.p2p.datatype) +
             words({d.p2p.count, static_cast<uint64_t>(d.p2p.peer)});
    } else {
      return words({d.p2p.func, d.p2p.count, static_cast<uint64_t>(d.p2p.peer)});
    }
  } else if (kind == Kind::ProxyOp) {
    return words({d.proxy_op.channel_id, static_cast<uint64_t>(d.proxy_op.peer),
                  static_cast<uint64_t>(d.proxy_op.steps),
                  static_cast<uint64_t>(d.proxy_op.chunk_size),
                  static_cast<uint64_t>(d.proxy_op.is_send)});
  } else if (kind == Kind::ProxyStep) {
    return words({static_cast<uint64_t>(d.proxy_step.step)});
  }
  if constexpr (sizeof(d) == sizeof(abi::v4::EventDescr) || sizeof(d.type) == 8) {
    if (kind == Kind::KernelCh) return words({d.kernel_ch.channel_id, d.kernel_ch.p_timer});
  }
  if constexpr (sizeof(d.type) == 8) {
    if (kind == Kind::CollApi) {
      return text(d.coll_api.func) +
             words({d.coll_api.count, address(d.coll_api.stream), d.coll_api.graph_captured});
    }
    if (kind == Kind::P2pApi) return text(d.p2p_api.func) + words({d.p2p_api.count});
    if (kind == Kind::GroupApi)
      return words({static_cast<uint64_t>(d.group_api.group_depth), d.group_api.graph_captured});
  }
  return {};
}

template <typename Descr>
std::string group_name(const Descr& d, Kind kind) {
  if constexpr (sizeof(d.type) == 8) {
    if (kind == Kind::Coll) return name_of(d.coll.parent_group);
    if (kind == Kind::P2p) return name_of(d.p2p.parent_group);
  }
  return {};
}

void switch_mask();

template <typename Descr>
abi::ResultCode start(void* context, void** handle, Descr* d) {
  const auto kind = static_cast<Kind>(__builtin_ctzll(static_cast<uint64_t>(d->type)));
  const std::string what = std::string(kKindNames[static_cast<unsigned>(kind)]) + " rank " +
                           std::to_string(d->rank) + " context " + name_of(context) + " parent " +
                           name_of(d->parent) + " group " + group_name(*d, kind) + " " +
                           payload(*d, kind);
  auto* named = new Named;  // never freed: NCCL may name it at any later time
  named->name = std::string(kKindNames[static_cast<unsigned>(kind)]) + "#" + hash_of(what);
  *handle = named;
  write_line("start " + what + " -> " + named->name);
  if (kind == Kind::Coll) switch_mask();
  return abi::kSuccess;
}

abi::ResultCode stop(void* handle) {
  write_line("stop " + name_of(handle));
  return abi::kSuccess;
}

template <typename Args>
abi::ResultCode record(void* handle, abi::State state, Args* args) {
  std::string line = "state " + name_of(handle) + " " + std::to_string(state);
  if (sizeof(Args) == 8 && args != nullptr && lockstep::state_has_argument(state) &&
      state != abi::kNetPluginUpdate) {
    uint64_t word = 0;
    memcpy(&word, args, sizeof word);
    if (state == abi::kProxyCtrlAppendEnd) word = static_cast<uint32_t>(word);
    line += " " + std::to_string(word);
  }
  write_line(line);
  return abi::kSuccess;
}

abi::ResultCode finalize(void* context) {
  write_line("finalize " + name_of(context));
  return abi::kSuccess;
}

std::atomic<int32_t*> live_mask{nullptr};

// RECORD_SWITCH, on the thread that starts the Coll.
void switch_mask() {
  static std::atomic<long> colls{0};
  const long number = ++colls;
  for (const char* at = getenv("RECORD_SWITCH"); at != nullptr && *at != '\0';) {
    char* end = nullptr;
    const long when = strtol(at, &end, 0);
    const long mask = *end == ':' ? strtol(end + 1, &end, 0) : 0;
    if (when == number)
      __atomic_store_n(live_mask.load(), static_cast<int32_t>(mask), __ATOMIC_RELAXED);
    at = *end == ',' ? end + 1 : nullptr;
  }
}

abi::ResultCode begin(void** context, int32_t* mask, const std::string& facts) {
  const char* wanted = getenv("RECORD_MASK");
  live_mask = mask;
  *mask = wanted == nullptr ? 0xffff : static_cast<int32_t>(strtol(wanted, nullptr, 0));
  auto* named = new Named;
  named->name = "comm(" + facts + ")";
  *context = named;
  write_line("init " + facts);
  return abi::kSuccess;
}

[[maybe_unused]] abi::ResultCode init_v1(void** context, int32_t* mask) {
  return begin(context, mask, "");
}
abi::ResultCode init_v4(void** context, int32_t* mask, const char* name, uint64_t id, int32_t nodes,
                        int32_t ranks, int32_t rank, abi::DebugLogger log) {
  return begin(context, mask,
               std::string(name == nullptr ? "NULL" : name) + " " + std::to_string(id) + " " +
                   std::to_string(nodes) + " " + std::to_string(ranks) + " " +
                   std::to_string(rank) + (log == nullptr ? " without a log" : ""));
}
[[maybe_unused]] abi::ResultCode init_v5(void** context, uint64_t id, int32_t* mask,
                                         const char* name, int32_t nodes, int32_t ranks,
                                         int32_t rank, abi::DebugLogger log) {
  return init_v4(context, mask, name, id, nodes, ranks, rank, log);
}

const char* const own_name = getenv("RECORD_NAME") == nullptr ? "record" : getenv("RECORD_NAME");

}  // namespace

#define EXPORT_TABLE(N, INIT, ARGS)                                        \
  __attribute__((visibility("default"))) abi::TableV##N ncclProfiler_v##N{ \
      own_name, INIT, start<abi::v##N::EventDescr>, stop, record<abi::ARGS>, finalize};

// RECORD_ONLY_TABLE (record_v3.cc and its like): no other table is exported.
extern "C" {
#if !defined(RECORD_ONLY_TABLE) || RECORD_ONLY_TABLE == 1
EXPORT_TABLE(1, init_v1, StateArgsV1)
#endif
#if !defined(RECORD_ONLY_TABLE) || RECORD_ONLY_TABLE == 2
EXPORT_TABLE(2, init_v1, StateArgsV1)
#endif
#if !defined(RECORD_ONLY_TABLE) || RECORD_ONLY_TABLE == 3
EXPORT_TABLE(3, init_v1, StateArgsV1)
#endif
#if !defined(RECORD_ONLY_TABLE)
EXPORT_TABLE(4, init_v4, StateArgsV4)
EXPORT_TABLE(5, init_v5, StateArgsV4)
EXPORT_TABLE(6, init_v5, StateArgsV4)
EXPORT_TABLE(7, init_v5, StateArgsV4)
#endif
}
