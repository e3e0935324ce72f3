// The arguments of the questions `ctl`, `stacks`, `capture` and `capture_status`, which whoever has the run's key may
// write, on a host without a process of the run: they are refused with a sentence, or answered with no rows.
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

#include "live/questions/capture_answer.h"
#include "live/questions/ctl_answer.h"
#include "live/questions/stacks_answer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep::live;
  const HostContext context{
      "nowhere", {"/nonexistent/run"}, std::numeric_limits<int64_t>::max(), 0};
  const std::string arguments(reinterpret_cast<const char*>(data), size);
  for (const Answerer answerer :
       {answer_ctl, answer_stacks, answer_capture, answer_capture_status}) {
    const auto answer = answerer(context, {"", arguments, "somebody@somewhere"}, nullptr);
    if (answer.ok() ? answer.value().rows != "[]" : answer.message().empty()) std::abort();
  }
  return 0;
}
