// What processes say of a capture, put together: from rows of the questions `capture` and
// `capture_status` (live/questions/capture_answer.h) to the state of each rank. Pure but for what it
// holds; one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/capture/capture_rules.h"
#include "cli/capture/job_look.h"
#include "dumper/run/capture_file.h"
#include "live/asker/ask_all.h"

namespace lockstep::cli {

// One process's, as it was heard last.
struct CaptureReply {
  dumper::CaptureState state = dumper::CaptureState::Deaf;
  bool accepted = false;  // it was armed
  bool final = false;     // nothing more will come of it
  std::string reason;     // of Deaf, a sentence
  std::optional<uint64_t> position, start_ns, stop_ns;
  std::string events_before, events_after;
  uint64_t bytes = 0;
  dumper::CaptureCost cost;
};

class CaptureReplies {
 public:
  // Of the processes that are to be armed.
  CaptureReplies(std::string id, const Rules& asked);

  // What came back from arming; those that are not in it are deaf, or dead where their host answered.
  void heard_arming(const live::Answers& answers);
  // From then on.
  void heard_status(const live::Answers& answers);

  bool all_final() const;
  size_t armed() const;  // accepted so far
  size_t late() const;   // its beginning had passed when they were asked
  const std::map<ProcessId, CaptureReply>& replies() const { return replies_; }
  // Who is not whole, a sentence each; for Deaf the reason.
  std::vector<std::string> refusals() const;

  // Into ranks, events, bytes and cost of the capture; `processes` tells the ranks.
  void fill(const std::vector<ProcessLook>& processes, dumper::Capture* capture) const;

 private:
  void hear(const live::Answers& answers, bool arming);

  const std::string id_;
  std::map<ProcessId, CaptureReply> replies_;
};

}  // namespace lockstep::cli
