// Which thread of the kernel's a thread of Python's is. From 3.11 on CPython notes the kernel's id, in the
// numbers of the process's own pid namespace; before, only the pthread_t, behind which glibc keeps the id at
// a place that it publishes for libthread_db (`_thread_db_pthread_tid` in libc.so.6, in libpthread.so.0
// before 2.34). Reads /proc/PID; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "live/stacks/process_maps.h"
#include "live/stacks/target_memory.h"

namespace lockstep::live {

// The kernel's ids of its threads, in our numbers; none for a process that is gone.
std::vector<uint32_t> thread_ids_of(uint32_t pid);

class ThreadIds {
 public:
  static ThreadIds of(uint32_t pid, const TargetMemory& memory,
                      const std::vector<Mapping>& mappings);

  // Looks again which threads there are.
  void refresh(uint32_t pid);

  // In this process's numbers; 0 for a thread that is not, or no longer, there. `task` is the id that CPython
  // noted, 0 where it has none: in a forked child it may be the parent's, and then the pthread_t counts.
  uint32_t id_of(uint64_t task, uint64_t pthread, const TargetMemory& memory) const;

 private:
  std::map<uint32_t, uint32_t> ours_;  // by the id in the process's namespace
  std::optional<uint64_t> tid_in_pthread_;
};

}  // namespace lockstep::live
