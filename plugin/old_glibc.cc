// One binary for every cluster: the plugin built on an old Debian needs GLIBC_2.17
// (test/hygiene/bullseye.sh), which has no getrandom. This one, local to the library, serves our
// own call and libsodium's; the kernel has had it since 3.17, and older ones answer ENOSYS, which
// both callers handle.
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

extern "C" ssize_t getrandom(void* buffer, size_t size_bytes, unsigned flags) {
  return syscall(SYS_getrandom, buffer, size_bytes, flags);
}
