// A profiler plugin that writes down every call it gets in the format that lockstep-replay plays
// (test/data/README.md): how a call log of real NCCL is recorded. CALL_LOG names the file, with %r
// for the rank of the process's first communicator and %p for its pid; times are microseconds since
// the first communicator's init, or since CALL_LOG_ZERO (ns of CLOCK_MONOTONIC), so that the processes
// of a host share one zero. All events are asked for, or those of CALL_LOG_MASK. Each line is written at once:
// the log of a killed process lacks nothing.
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

#include "lockstep/event.h"
#include "lockstep/nccl_profiler_abi.h"

namespace {

using lockstep::Kind;
using lockstep::kKindNames;
namespace abi = lockstep::abi;

constexpr uint64_t kMagic = 0x43414c4c4c4f4700;
// What a handle or a context points to. Never freed: NCCL may name it at any later time.
struct Named {
  uint64_t magic = kMagic;
  Kind kind{};
  uint32_t number = 0;
};

constexpr const char* kStateNames[abi::kStateCount] = {
    nullptr,           nullptr,           nullptr,         nullptr,
    nullptr,           nullptr,           nullptr,         nullptr,
    "SendGPUWait",     "SendWait",        "RecvWait",      "RecvFlushWait",
    "RecvGPUWait",     "CtrlIdle",        "CtrlActive",    "CtrlSleep",
    "CtrlWakeup",      "CtrlAppend",      "CtrlAppendEnd", "ProxyOpInProgress",
    "SendPeerWait",    "NetPluginUpdate", "KernelChStop",  "GroupStartApiStop",
    "GroupEndApiStart"};

std::mutex log_mutex;
FILE* log_file = nullptr;
int64_t zero_ns = 0;
uint64_t lines = 0;
uint32_t events = 0;
uint32_t contexts = 0;

int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

const Named* known(const void* handle) {
  const auto* named = static_cast<const Named*>(handle);
  return named != nullptr && named->magic == kMagic ? named : nullptr;
}

std::string reference(const void* handle) {
  const Named* named = known(handle);
  if (named == nullptr) return "-";
  return std::string(kKindNames[static_cast<unsigned>(named->kind)]) + "#" +
         std::to_string(named->number);
}

__attribute__((format(printf, 1, 2))) std::string print(const char* format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return text;
}

const char* or_null(const char* text) { return text == nullptr ? "(null)" : text; }

std::string thread_name() {
  char name[16] = "?";
  FILE* comm = fopen("/proc/thread-self/comm", "r");
  if (comm == nullptr) return name;
  if (fgets(name, sizeof name, comm) != nullptr) name[strcspn(name, "\n")] = '\0';
  fclose(comm);
  return name;
}

// One line of the log; log_mutex is held.
void write_line(int64_t at_ns, const char* call, const char* kind, uint32_t event,
                const std::string& parent, uint32_t context, const std::string& rest) {
  static thread_local const std::string thread =
      "tid=" + std::to_string(syscall(SYS_gettid)) + "(" + thread_name() + ")";
  if (log_file == nullptr) return;
  fprintf(log_file, "%6" PRIu64 " %12.3fus %-26s %-8s %-12s #%-6u parent=%-16s ctx=%u %s\n",
          lines++, static_cast<double>(at_ns - zero_ns) / 1000, thread.c_str(), call, kind, event,
          parent.c_str(), context, rest.c_str());
  fflush(log_file);
}

template <typename Descr>
std::string arguments(const Descr& d, Kind kind) {
  constexpr bool is_v4 = sizeof(d.type) == 1;
  if (kind == Kind::Coll) {
    const auto& c = d.coll;
    std::string text = print("%s seq=%" PRIu64 " count=%zu root=%d %s ch=%u w=%u %s/%s",
                             or_null(c.func), c.seq_number, c.count, c.root, or_null(c.datatype),
                             c.channels, c.warps, or_null(c.algo), or_null(c.proto));
    if constexpr (!is_v4) {
      if (const Named* group = known(c.parent_group)) text += print(" pgroup=%u", group->number);
    }
    return text;
  }
  if (kind == Kind::P2p) {
    std::string text = print("%s count=%zu %s peer=%d ch=%u", or_null(d.p2p.func), d.p2p.count,
                             or_null(d.p2p.datatype), d.p2p.peer, d.p2p.channels);
    if constexpr (!is_v4) {
      if (const Named* group = known(d.p2p.parent_group))
        text += print(" pgroup=%u", group->number);
    }
    return text;
  }
  if (kind == Kind::ProxyOp) {
    const auto& op = d.proxy_op;
    return print("%s ch=%u peer=%d nsteps=%d chunk=%d pid=", op.is_send != 0 ? "SEND" : "RECV",
                 op.channel_id, op.peer, op.steps, op.chunk_size) +
           (op.pid == getpid() ? "self" : std::to_string(op.pid));
  }
  if (kind == Kind::ProxyStep) return print("step=%d", d.proxy_step.step);
  if (kind == Kind::KernelCh)
    return print("ch=%u pTimer=%" PRIu64, d.kernel_ch.channel_id, d.kernel_ch.p_timer);
  if (kind == Kind::NetPlugin)
    return print("id=0x%" PRIx64 " data=%p", static_cast<uint64_t>(d.net_plugin.id),
                 static_cast<void*>(d.net_plugin.data));
  if constexpr (!is_v4) {
    if (kind == Kind::CollApi)
      return print("%s count=%zu %s root=%d", or_null(d.coll_api.func), d.coll_api.count,
                   or_null(d.coll_api.datatype), d.coll_api.root);
    if (kind == Kind::P2pApi)
      return print("%s count=%zu %s", or_null(d.p2p_api.func), d.p2p_api.count,
                   or_null(d.p2p_api.datatype));
    if (kind == Kind::GroupApi)
      return print("depth=%d graph=%d", d.group_api.group_depth,
                   d.group_api.graph_captured ? 1 : 0);
  }
  return {};
}

template <typename Descr>
abi::ResultCode start(void* context, void** handle, Descr* d) {
  const int64_t at_ns = now_ns();
  auto* named = new Named;
  named->kind = static_cast<Kind>(__builtin_ctzll(static_cast<uint64_t>(d->type)));
  *handle = named;
  const std::lock_guard<std::mutex> lock(log_mutex);
  named->number = ++events;
  const Named* comm = known(context);
  write_line(at_ns, "start", kKindNames[static_cast<unsigned>(named->kind)], named->number,
             reference(d->parent), comm == nullptr ? 0 : comm->number, arguments(*d, named->kind));
  return abi::kSuccess;
}

abi::ResultCode stop(void* handle) {
  const int64_t at_ns = now_ns();
  const std::lock_guard<std::mutex> lock(log_mutex);
  if (const Named* named = known(handle))
    write_line(at_ns, "stop", kKindNames[static_cast<unsigned>(named->kind)], named->number, "-", 0,
               "");
  return abi::kSuccess;
}

abi::ResultCode record(void* handle, abi::State state, abi::StateArgsV4* args) {
  const int64_t at_ns = now_ns();
  const std::lock_guard<std::mutex> lock(log_mutex);
  const Named* named = known(handle);
  if (named == nullptr || state >= abi::kStateCount || kStateNames[state] == nullptr)
    return abi::kSuccess;
  std::string text = kStateNames[state];
  if (args != nullptr && named->kind == Kind::ProxyStep)
    text += print(" transSize=%zu", args->trans_size);
  if (args != nullptr && named->kind == Kind::ProxyCtrl)
    text += print(" appended=%d", state == abi::kProxyCtrlAppendEnd ? args->appended_proxy_ops : 0);
  if (args != nullptr && named->kind == Kind::KernelCh)
    text += print(" pTimer=%" PRIu64, args->p_timer);
  write_line(at_ns, "record", kKindNames[static_cast<unsigned>(named->kind)], named->number, "-", 0,
             text);
  return abi::kSuccess;
}

abi::ResultCode finalize(void* context) {
  const int64_t at_ns = now_ns();
  const std::lock_guard<std::mutex> lock(log_mutex);
  if (const Named* comm = known(context))
    write_line(at_ns, "finalize", "?", 0, "-", comm->number, "");
  return abi::kSuccess;
}

void open_log(int32_t rank, const char* table, int64_t first_ns) {
  const char* wanted = getenv("CALL_LOG");
  std::string path = wanted == nullptr ? "calls.%r.txt" : wanted;
  for (const auto& [key, number] : {std::pair("%r", rank), std::pair("%p", getpid())}) {
    const size_t at = path.find(key);
    if (at != std::string::npos) path.replace(at, 2, std::to_string(number));
  }
  const char* zero = getenv("CALL_LOG_ZERO");
  zero_ns = zero == nullptr ? first_ns : std::min(first_ns, static_cast<int64_t>(atoll(zero)));
  log_file = fopen(path.c_str(), "we");
  if (log_file == nullptr) {
    fprintf(stderr, "call_log: %s cannot be written, no call is logged\n", path.c_str());
    return;
  }
  fprintf(log_file,
          "=== recorded calls, rank %d, pid %d, table %s, time zero at CLOCK_MONOTONIC %" PRId64
          " ns\n",
          rank, getpid(), table, zero_ns);
}

abi::ResultCode begin(const char* table, void** context, uint64_t id, int32_t* mask,
                      const char* name, int32_t nodes, int32_t ranks, int32_t rank) {
  const int64_t at_ns = now_ns();
  const char* wanted = getenv("CALL_LOG_MASK");
  *mask = wanted == nullptr ? static_cast<int32_t>(abi::kAllKinds)
                            : static_cast<int32_t>(strtol(wanted, nullptr, 0));
  auto* comm = new Named;
  *context = comm;
  const std::lock_guard<std::mutex> lock(log_mutex);
  if (contexts == 0) open_log(rank, table, at_ns);
  comm->number = ++contexts;
  write_line(at_ns, "init", "?", 0, "-", comm->number,
             print("name=%s hash=%016" PRIx64 " nodes=%d ranks=%d rank=%d", or_null(name), id,
                   nodes, ranks, rank));
  return abi::kSuccess;
}

abi::ResultCode init_v4(void** context, int32_t* mask, const char* name, uint64_t id, int32_t nodes,
                        int32_t ranks, int32_t rank, abi::DebugLogger) {
  return begin("v4", context, id, mask, name, nodes, ranks, rank);
}

abi::ResultCode init_v5(void** context, uint64_t id, int32_t* mask, const char* name, int32_t nodes,
                        int32_t ranks, int32_t rank, abi::DebugLogger) {
  return begin("v5", context, id, mask, name, nodes, ranks, rank);
}

}  // namespace

// Tables 4 and 5. NCCL newer than 2.28 calls table 5 too; what tables 6 and 7 add has no place in the
// format.
extern "C" {
__attribute__((visibility("default"))) abi::TableV4 ncclProfiler_v4{
    "call_log", init_v4, start<abi::v4::EventDescr>, stop, record, finalize};
__attribute__((visibility("default"))) abi::TableV5 ncclProfiler_v5{
    "call_log", init_v5, start<abi::v5::EventDescr>, stop, record, finalize};
}
