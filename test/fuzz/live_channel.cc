// Both ends of a connection as an attacker without the key drives them: an agent greets whatever comes,
// an asker reads whatever answers, and frames over the Unix socket are of any shape. The first byte
// chooses. Nothing is waited for: the other end is closed.
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock_ns.h"
#include "live/wire/channel.h"

using namespace lockstep::live;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const LiveKey key = *derive_live_key(lockstep::clocksync::SecretKey{});
  int ends[2];
  if (size < 1 || size > 32768 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 0;
  if (send(ends[0], data + 1, size - 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 && size > 1)
    __builtin_trap();
  shutdown(ends[0], SHUT_WR);
  {
    Channel channel(ends[1], lockstep::mono_now_ns() + 60'000'000'000);
    switch (data[0] % 3) {
      case 0:
        // A true hello, recorded, may be in the corpus; nothing can follow it.
        if (channel.greet_as_agent(key).ok() && channel.receive().ok()) __builtin_trap();
        break;
      case 1:
        // No code over this asker's own hello can stand in the input.
        if (channel.greet_as_asker(key).ok()) __builtin_trap();
        break;
      default:
        while (channel.receive().ok()) {
        }
    }
  }
  close(ends[0]);
  return 0;
}
