#include "live/native/dw_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string>

namespace lockstep::live::dw {
namespace {

constexpr const char* kName = "libdw.so.1";

template <class Function>
bool find(void* handle, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(handle, name));
  return *function != nullptr;
}

Result<const Library*> load() {
  // With DEBUGINFOD_URLS libdw would ask servers for what it does not find: minutes, while a job hangs.
  unsetenv("DEBUGINFOD_URLS");
  void* handle = dlopen(kName, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return Status::error(std::string("no stacks without ") + kName +
                         " (package libdw1 or elfutils-libs), only what threads wait in");
  }
  static Library library;
  const char* missing = nullptr;
#define LOCKSTEP_FIND(name) \
  if (!find(handle, #name, &library.name)) missing = #name;
  LOCKSTEP_FIND(dwfl_begin)
  LOCKSTEP_FIND(dwfl_end)
  LOCKSTEP_FIND(dwfl_errno)
  LOCKSTEP_FIND(dwfl_errmsg)
  LOCKSTEP_FIND(dwfl_linux_proc_report)
  LOCKSTEP_FIND(dwfl_report_end)
  LOCKSTEP_FIND(dwfl_attach_state)
  LOCKSTEP_FIND(dwfl_getthread_frames)
  LOCKSTEP_FIND(dwfl_thread_state_registers)
  LOCKSTEP_FIND(dwfl_thread_state_register_pc)
  LOCKSTEP_FIND(dwfl_frame_pc)
  LOCKSTEP_FIND(dwfl_addrmodule)
  LOCKSTEP_FIND(dwfl_module_info)
  LOCKSTEP_FIND(dwfl_module_getelf)
  LOCKSTEP_FIND(dwfl_module_build_id)
  LOCKSTEP_FIND(dwfl_module_addrinfo)
  LOCKSTEP_FIND(dwfl_module_getsrc)
  LOCKSTEP_FIND(dwfl_lineinfo)
  LOCKSTEP_FIND(dwfl_module_nextcu)
  LOCKSTEP_FIND(dwarf_haspc)
  LOCKSTEP_FIND(dwarf_getsrc_die)
  LOCKSTEP_FIND(dwarf_linesrc)
  LOCKSTEP_FIND(dwarf_lineno)
  LOCKSTEP_FIND(dwfl_linux_proc_find_elf)
  LOCKSTEP_FIND(dwfl_standard_find_debuginfo)
#undef LOCKSTEP_FIND
  if (missing != nullptr) {
    return Status::error(std::string(kName) + " has no function " + missing +
                         ": it is older than 0.158; no stacks, only what threads wait in");
  }
  return &library;
}

}  // namespace

std::mutex& turn() {
  static std::mutex mutex;
  return mutex;
}

const Result<const Library*>& library() {
  static const Result<const Library*> loaded = load();
  return loaded;
}

}  // namespace lockstep::live::dw
