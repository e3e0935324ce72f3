// The running totals that a Ledger or End chunk holds: what was counted and not recorded, and what
// was recorded and then given up. With them `lockstep verify` proves calls = kept + losses for
// every kind. All numbers are totals since the process began, so the latest ledger of a process
// says all; the difference of two says when a loss happened. Made by the dump thread and by
// recovery, completed by SegmentWriter (deleted segments), read by every reader.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dumper/segment/counts.h"
#include "lockstep/shared_blocks.h"
#include "lockstep/status.h"

namespace lockstep::dumper {

struct Ledger {
  uint64_t raw_ns = 0;                  // CLOCK_MONOTONIC_RAW when it was made
  std::map<uint64_t, uint64_t> losses;  // make_loss_key() -> calls
  CallCounts calls_without_block{};     // ArenaHeader::calls_without_block
  // Calls counted in blocks whose records are in no segment any more (their records are losses
  // under Loss::Disk).
  CallCounts calls_given_up{};
  uint32_t first_segment = 0;  // segments with a lower number were deleted for the disk budget
  // End chunks of recovery only: calls entered and neither recorded nor counted when the process
  // died.
  CallCounts in_progress{};
  bool recovered = false;
  bool exited = false;  // the exit handler ran while other threads went on calling
  // CLOCK_MONOTONIC_RAW around all losses for memory: none was before, none after. 0, 0 = none.
  uint64_t shed_from_raw_ns = 0, shed_to_raw_ns = 0;
  // Calls under Loss::Unknown that say what they were: starts by the bit of their event type and
  // states by their number; the last number (kUnknownNumbers - 1) stands for all others.
  std::map<unsigned, uint64_t> unknown_kinds, unknown_states;
  // What recording cost since it began: measured by sampling, 0 = not measured (overhead.h).
  uint64_t init_ns = 0, elapsed_ns = 0, callbacks_ns = 0, threads_ns = 0;
  // High-water marks (overhead.h): of the memory for records, and by kind of what waited there.
  uint64_t memory_high_water_bytes = 0;
  std::array<uint64_t, kKinds + 1> most_waiting_bytes{};
  std::vector<std::string> notes;  // sentences about run-time changes

  // Calls lost for this reason.
  uint64_t lost(Loss why) const;
  void add_loss(uint32_t comm, unsigned kind, Call call, Loss why, uint64_t count);
  void take_unknown(const ArenaHeader& arena);
};

std::string ledger_to_json(const Ledger& ledger);
Result<Ledger> ledger_from_json(std::string_view text);

}  // namespace lockstep::dumper
