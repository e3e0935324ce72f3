// A signal of the user's choice that makes the process write what it has recorded, as the word `flush` on
// the control socket does, for places where nobody reaches that socket. The handler adds one to an eventfd,
// which wakes a thread of ours, and leaves errno as it was. It is never taken away: without it the next such
// signal would end the program. One object per process; called under the process's lock.
#pragma once

#include <functional>
#include <string>

#include "base/thread.h"
#include "lockstep/status.h"

namespace lockstep::plugin {

class FlushSignal {
 public:
  // `name` is one that LOCKSTEP_SIGNAL takes. The error: the program handles or ignores that signal, and
  // nothing was changed; or there is no thread. May be started again after stop().
  Status start(const std::string& name, std::function<void()> flush);
  // Joins the thread; signals then have no effect.
  void stop();
  ~FlushSignal();

 private:
  static void* run(void* self);
  void serve() const;

  std::function<void()> flush_;
  ServiceThread thread_;
  int stop_event_ = -1;
};

}  // namespace lockstep::plugin
