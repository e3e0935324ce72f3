#include "live/stacks/target_memory.h"

#include <sys/uio.h>

#include <cerrno>
#include <limits>

namespace lockstep::live {

bool ProcessMemory::read(uint64_t address, void* to, size_t bytes) const {
  if (address > std::numeric_limits<uint64_t>::max() - bytes) return false;
  const iovec here{to, bytes};
  const iovec there{reinterpret_cast<void*>(address), bytes};  // NOLINT: never followed here
  return process_vm_readv(static_cast<pid_t>(pid_), &here, 1, &there, 1, 0) ==
         static_cast<ssize_t>(bytes);
}

int ProcessMemory::refusal(uint64_t mapped_address) const {
  char byte = 0;
  return read(mapped_address, &byte, 1) ? 0 : errno;
}

}  // namespace lockstep::live
