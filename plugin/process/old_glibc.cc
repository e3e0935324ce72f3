// One binary for every cluster: the plugin built on an old Debian needs GLIBC_2.17
// (test/hygiene/bullseye.sh). What newer glibcs have and we or libsodium call is here, local to the
// library.
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstring>

// The kernel has had it since 3.17; older ones answer ENOSYS, which both callers handle.
extern "C" ssize_t getrandom(void* buffer, size_t size_bytes, unsigned flags) {
  return syscall(SYS_getrandom, buffer, size_bytes, flags);
}

// How libsodium forgets a key: a memset that no optimization takes away.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the name is glibc's
extern "C" void __explicit_bzero_chk(void* memory, size_t size_bytes, size_t) {
  std::memset(memory, 0, size_bytes);
  __asm__ __volatile__("" : : "r"(memory) : "memory");
}
