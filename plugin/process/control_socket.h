// A process's control socket, `<host>.<pid>.ctl` in its run directory: one short line in, one line
// of JSON out, then closed. Mode 0600, and the peer's user must be ours or root. Served by a thread
// of its own that sleeps in the kernel until somebody asks; one client at a time, none longer than
// a second. What the words mean: plugin/process/control.h.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "base/thread.h"
#include "lockstep/status.h"

namespace lockstep::plugin {

class ControlSocket {
 public:
  // `asker`: the process that the kernel says connected, 0 where it does not tell.
  using Answer = std::function<std::string(const std::string& request, pid_t asker)>;
  // Called on the thread before it sleeps: in how many milliseconds it is to be called again, -1 for
  // not before the next request.
  using Chore = std::function<int()>;

  // Makes the folder and the socket. An error costs the control only.
  Status start(const std::string& directory, const std::string& name, Answer answer, Chore chore);
  // Joins the thread, removes the socket. May be started again.
  void stop();
  ~ControlSocket() { stop(); }

 private:
  static void* run(void* self);
  void serve();
  void serve_one(int client) const;
  Status listen_in(const std::string& directory, const std::string& name);
  void close_all();

  Answer answer_;
  Chore chore_;
  ServiceThread thread_;
  int directory_ = -1, socket_ = -1, stop_event_ = -1;
  std::string name_;
};

}  // namespace lockstep::plugin
