// Stands in for the kernel's Yama with ptrace_scope 1, where the kernel has none. Preloaded into the
// traced process: prctl(PR_SET_PTRACER, pid) writes the pid to YAMA_DIR/<own pid>, 0 removes the file.
// Preloaded into the tracer: ptrace(PTRACE_SEIZE) of a thread is refused with EPERM unless the file of
// its process names us.
#include <dlfcn.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

std::string file_of(long pid) {
  return std::string(std::getenv("YAMA_DIR")) + "/" + std::to_string(pid);
}

long process_of(long tid) {
  std::FILE* status = std::fopen(("/proc/" + std::to_string(tid) + "/status").c_str(), "r");
  long process = 0;
  char line[256];
  while (status != nullptr && std::fgets(line, sizeof line, status) != nullptr)
    if (std::sscanf(line, "Tgid: %ld", &process) == 1) break;
  if (status != nullptr) std::fclose(status);
  return process;
}

bool lets_us(long tid) {
  std::FILE* file = std::fopen(file_of(process_of(tid)).c_str(), "r");
  long tracer = 0;
  const bool read = file != nullptr && std::fscanf(file, "%ld", &tracer) == 1;
  if (file != nullptr) std::fclose(file);
  return read && tracer == getpid();
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int prctl(int option, ...) {
  va_list list;
  va_start(list, option);
  unsigned long words[4];
  for (unsigned long& word : words) word = va_arg(list, unsigned long);
  va_end(list);
  if (option == PR_SET_PTRACER) {
    const std::string path = file_of(getpid());
    if (words[0] == 0) return unlink(path.c_str()), 0;
    std::FILE* file = std::fopen(path.c_str(), "w");
    if (file == nullptr) return -1;
    std::fprintf(file, "%ld\n", static_cast<long>(words[0]));
    return std::fclose(file);
  }
  using Prctl = int (*)(int, ...);
  static const auto real = reinterpret_cast<Prctl>(dlsym(RTLD_NEXT, "prctl"));
  return real(option, words[0], words[1], words[2], words[3]);
}

// glibc declares it with an enumeration before the dots; promotion leaves it as it is.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wvarargs"
long ptrace(enum __ptrace_request request, ...) noexcept {
  va_list list;
  va_start(list, request);
  const long tid = va_arg(list, pid_t);
  void* const address = va_arg(list, void*);
  void* const data = va_arg(list, void*);
  va_end(list);
  if (request == PTRACE_SEIZE && !lets_us(tid)) {
    errno = EPERM;
    return -1;
  }
  using Ptrace = long (*)(enum __ptrace_request, ...);
  static const auto real = reinterpret_cast<Ptrace>(dlsym(RTLD_NEXT, "ptrace"));
  return real(request, tid, address, data);
}
#pragma GCC diagnostic pop

}  // extern "C"
