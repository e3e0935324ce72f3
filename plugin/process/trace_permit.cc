#include "plugin/process/trace_permit.h"

#include <sys/prctl.h>

#include <cerrno>
#include <cstring>

namespace lockstep::plugin {
namespace {

constexpr int64_t kMsNs = 1'000'000;

}  // namespace

int TracePermit::set_tracer(pid_t pid) {
  return prctl(PR_SET_PTRACER, static_cast<unsigned long>(pid), 0, 0, 0) == 0 ? 0 : errno;
}

Status TracePermit::grant(pid_t asker, const std::string& by, int64_t now_ns) {
  check(now_ns);
  if (!allowed_) return Status::error("LOCKSTEP_STACKS=0 forbids it in this process");
  if (asker <= 0)
    return Status::error(
        "the kernel does not say which process asks: it may be in another container");
  if (holder_ == asker) return Status();
  if (holder_ != 0) {
    return Status::error("process " + std::to_string(holder_) +
                         " reads its stacks; ask again in ten seconds");
  }
  const int error = set_(asker);
  if (error == EINVAL)
    return Status::error("this kernel has no Yama, so there is no right that it could give");
  if (error != 0)
    return Status::error(std::string("it cannot give the right: ") + std::strerror(error));
  holder_ = asker;
  ends_ns_ = now_ns + kLastsNs;
  note_("process " + std::to_string(asker) +
        " may read this process's stacks for 10 s, granted by " + by);
  return Status();
}

int TracePermit::check(int64_t now_ns) {
  if (holder_ == 0) return -1;
  if (now_ns >= ends_ns_) {
    withdraw();
    return -1;
  }
  return static_cast<int>((ends_ns_ - now_ns + kMsNs - 1) / kMsNs);
}

void TracePermit::withdraw() {
  if (holder_ != 0) set_(0);
  holder_ = 0;
}

}  // namespace lockstep::plugin
