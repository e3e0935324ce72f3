// LD_PRELOAD: no memory for one library. Allocations made by code inside NO_MEMORY_LIBRARY (default:
// libnccl-profiler), loaded at the start or later, fail from the NO_MEMORY_FROM-th on (counted from
// 1), NO_MEMORY_COUNT of them (default: all that follow); the host's own never do. At exit the number
// made is written to the file NO_MEMORY_LOG. Works with a library that has libstdc++ inside, so that
// operator new counts as its own.
#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
}

namespace {

std::atomic<uintptr_t> begin{0}, end{0};
std::atomic<long> made{0};

long number(const char* name, long fallback) {
  const char* value = getenv(name);
  return value != nullptr ? std::atol(value) : fallback;
}
long first_failing, last_failing;

int look_at(dl_phdr_info* info, size_t, void*) {
  const char* const library = getenv("NO_MEMORY_LIBRARY");
  if (std::strstr(info->dlpi_name, library != nullptr ? library : "libnccl-profiler") == nullptr)
    return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    begin = info->dlpi_addr + part.p_vaddr;
    end = begin + part.p_memsz;
  }
  return 1;
}

__attribute__((constructor)) void look() {
  first_failing = number("NO_MEMORY_FROM", LONG_MAX);
  const long count = number("NO_MEMORY_COUNT", LONG_MAX);
  last_failing = count > LONG_MAX - first_failing ? LONG_MAX : first_failing + count - 1;
  dl_iterate_phdr(look_at, nullptr);
}

bool fails(void* caller) {
  const auto at = reinterpret_cast<uintptr_t>(caller);
  if (at < begin.load(std::memory_order_relaxed) || at >= end.load(std::memory_order_relaxed))
    return false;
  const long n = made.fetch_add(1) + 1;
  return n >= first_failing && n <= last_failing;
}

__attribute__((destructor)) void say() {
  const char* path = getenv("NO_MEMORY_LOG");
  // Not by the programs around it.
  FILE* file = path != nullptr && end != 0 ? std::fopen(path, "w") : nullptr;
  if (file == nullptr) return;
  std::fprintf(file, "%ld\n", made.load());
  std::fclose(file);
}

void* refuse() {
  errno = ENOMEM;
  return nullptr;
}

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default"), noinline))

EXPORT void* malloc(size_t size) {
  return fails(__builtin_return_address(0)) ? refuse() : __libc_malloc(size);
}
EXPORT void* calloc(size_t count, size_t size) {
  return fails(__builtin_return_address(0)) ? refuse() : __libc_calloc(count, size);
}
EXPORT void* realloc(void* memory, size_t size) {
  return fails(__builtin_return_address(0)) ? refuse() : __libc_realloc(memory, size);
}
EXPORT void* dlopen(const char* path, int flags) {
  using Dlopen = void* (*)(const char*, int);
  static const auto real = reinterpret_cast<Dlopen>(dlsym(RTLD_NEXT, "dlopen"));
  void* library = real(path, flags);
  look();
  return library;
}
