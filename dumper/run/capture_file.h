// A capture of a run: what `lockstep capture` asked of which ranks, and what came of it. One file each,
// RUN/captures/<id>.json, whole or not there; docs/capture.md has its keys. The stored records that a
// capture keeps for itself (--last) lie beside it in RUN/captures/<id>/, a small run of its own. Any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/status.h"

namespace lockstep::dumper {

enum class CaptureState : uint8_t {
  Armed,    // never came to the beginning: it did not call the operation, or mark the step
  Started,  // began and did not confirm its end
  Stopped,  // all of it
  Late,     // was beyond the beginning when it was armed
  Dead,     // its process has ended
  Deaf,     // its process did not answer, or refused
};
constexpr const char* kCaptureStateNames[] = {"armed", "started", "stopped",
                                              "late",  "dead",    "deaf"};

// Of one rank. Times are of its own host's CLOCK_MONOTONIC_RAW, as its segments have them.
struct CaptureRank {
  int64_t rank = -1;  // in the largest communicator of all; -1: not known
  std::string host;
  uint32_t pid = 0;
  CaptureState state = CaptureState::Deaf;
  std::optional<uint64_t>
      position;  // the collective of its communicator, or the step, it began with
  std::optional<uint64_t> start_ns, stop_ns;
};

struct CaptureCost {  // sums over the processes
  uint64_t overhead_ns = 0, records = 0, calls_not_recorded = 0;
};

struct Capture {
  std::string id, name, by;                 // by: who asked, USER@HOST
  std::string rule;                         // as the processes took it
  std::string events_before, events_after;  // kinds; different ones by " | "
  std::vector<CaptureRank> ranks;           // by rank
  // Between the first and the last beginning on the common clock, and by how much that may err; none
  // where the hosts have no common clock, or nobody began.
  std::optional<int64_t> spread_ns, spread_bound_ns;
  uint64_t bytes = 0;  // that it added to the segments, or that its copies have
  CaptureCost cost;
};

std::string capture_json(const Capture& capture);
Result<Capture> parse_capture(std::string_view json);

// capture-20261121T223512Z-3f2a
std::string new_capture_id();
// What a path, a control word and a note can hold: letters, digits, `.`, `_`, `-`, 64 bytes at most,
// no dot in front.
bool is_capture_id(std::string_view id);

std::string captures_folder(const std::string& run);
std::string capture_path(const std::string& run, const std::string& id);
// Where its own copies are, if it has any.
std::string capture_copies(const std::string& run, const std::string& id);

// All that lies in the run's captures: of each its copies first, so that one whose file has arrived
// elsewhere is whole.
std::vector<std::string> capture_files(const std::string& run);
bool capture_has_file(const std::string& run, const std::string& id);
// Of those with a file, in order, which is by time.
std::vector<std::string> capture_ids(const std::string& run);

Status write_capture(const std::string& run, const Capture& capture);
Result<Capture> read_capture(const std::string& run, const std::string& id);
// By id, which is by time; `damage` gets a sentence for each file that is none.
std::vector<Capture> read_captures(const std::string& run, std::vector<std::string>* damage);

}  // namespace lockstep::dumper
