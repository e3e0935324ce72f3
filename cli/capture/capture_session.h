// A capture of a running job from the first look to the last word: who is there, where it begins, armed
// everywhere, nothing sent until it is over, gathered. Every process ends its own part after the limit,
// whatever becomes of this one. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "cli/capture/job_look.h"
#include "cli/live/live_arguments.h"
#include "dumper/run/capture_file.h"
#include "lockstep/status.h"

namespace lockstep::cli {

struct CaptureTerms {
  std::string run;
  std::string events;  // kinds, as `lockstep ctl events` takes them
  CaptureScope scope;
  // One of these, or none: then `duration_ns`.
  std::optional<uint64_t> steps, operations;
  int64_t duration_ns = 0;
  std::optional<int64_t> at_unix_ns;  // by the clock, for duration_ns
  int64_t limit_ns = 0;               // since it was armed
  bool dry = false;                   // says what would be sent, and sends nothing
  bool verbose = false;
};

// A line for people, while it goes on.
using Tell = std::function<void(const std::string& line)>;

// Fills in the capture. `answers` tells which hosts could not be asked. The error: it could not begin,
// and nobody is armed.
Status take_capture(const CaptureTerms& terms, const live::Targets& targets,
                    const LiveArguments& arguments, const Tell& tell, dumper::Capture* capture,
                    live::Answers* answers);

}  // namespace lockstep::cli
