// The right to read this process's stacks, given on request where the kernel's Yama lets only parents
// trace (PR_SET_PTRACER): to the one process that the kernel says is asking, for ten seconds that
// nothing extends, and taken back then. The kernel's own rules (same user, dumpable) stay; pid 0 and
// PR_SET_PTRACER_ANY are never given. Each grant is a note in the segment. What the host program had set
// by PR_SET_PTRACER cannot be read and is lost with the first grant. The control socket's thread only;
// none of NCCL's threads.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>

#include "lockstep/status.h"

namespace lockstep::plugin {

class TracePermit {
 public:
  // 0, or an errno; pid 0 takes the right back.
  using SetTracer = std::function<int(pid_t pid)>;
  using Note = std::function<void(const std::string& sentence)>;

  static constexpr int64_t kLastsNs = 10'000'000'000;

  // prctl(PR_SET_PTRACER).
  static int set_tracer(pid_t pid);

  TracePermit(bool allowed, SetTracer set, Note note)
      : allowed_(allowed), set_(std::move(set)), note_(std::move(note)) {}
  ~TracePermit() { withdraw(); }
  TracePermit(const TracePermit&) = delete;
  TracePermit& operator=(const TracePermit&) = delete;

  // `by`: for the note. `now_ns` is of CLOCK_MONOTONIC. Whoever holds the right already is told yes, for what is left.
  Status grant(pid_t asker, const std::string& by, int64_t now_ns);
  // Takes the right back when its time is over. Milliseconds until then, -1 when nobody holds it.
  int check(int64_t now_ns);
  void withdraw();

  int64_t left_ns(int64_t now_ns) const { return holder_ == 0 ? 0 : ends_ns_ - now_ns; }

 private:
  bool allowed_;
  SetTracer set_;
  Note note_;
  pid_t holder_ = 0;  // 0 = nobody
  int64_t ends_ns_ = 0;
};

}  // namespace lockstep::plugin
