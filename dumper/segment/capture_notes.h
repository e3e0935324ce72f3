// The notes in a process's ledger that tell of its captures, both ways: written where a capture begins and
// ends (plugin/capture/capture.h), read wherever a recording is. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dumper/segment/counts.h"
#include "dumper/segment/process_facts.h"

namespace lockstep::dumper {

// Times are of the host's CLOCK_MONOTONIC_RAW.
struct NotedCapture {
  std::string id, rule, by;
  uint64_t start_ns = 0;
  std::optional<uint64_t> stop_ns;  // none: no note tells of its end
};

// `place`: " at position 12", " at step 7", or nothing.
std::string capture_start_note(const NotedCapture& capture, const std::string& place);
std::string capture_stop_note(const NotedCapture& capture, const std::string& place);

// Those that began, in the order of the notes.
std::vector<NotedCapture> noted_captures(const std::vector<std::string>& notes);

// Kinds that came by captures alone, where `always` are recorded outside of them; 0 where there was no
// capture, or somebody set the events meanwhile, who may have wanted them for good.
uint32_t kinds_by_captures(uint32_t always, const std::vector<std::string>& notes);

// Which of the kinds that are in the recording are no more than samples of the run, and why: a sentence
// each.
std::vector<std::string> sample_sentences(const ProcessFacts& facts, const Counts& kept,
                                          const std::vector<std::string>& notes);

}  // namespace lockstep::dumper
