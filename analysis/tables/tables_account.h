// The tables that say where a run's time and its bytes went. They cost a replay of the run, so they
// are empty until add_accounts() (analysis/account/accounts.h) has filled them. See tables.h for units,
// kNoTime, kNoRow and texts.
#pragma once

#include "analysis/tables/tables.h"

namespace lockstep::analysis {

// What a piece of the critical path is.
enum class PathPart : uint8_t {
  Own,       // a rank did something else than this operation, and others waited for it
  Transfer,  // all that the operation waits for had begun: until it ended
};
constexpr const char* kPathPartNames[] = {"own", "transfer"};

// `critical_path`: what determined the end of the run, piece by piece in the order of time; together
// they are the run, without a gap.
struct CriticalPathRow {
  uint32_t step = kNoRow;       // MatchRow::step
  uint32_t operation = kNoRow;  // row: that followed (own), that it is (transfer)
  uint32_t match = kNoRow, communicator = kNoRow, process = kNoRow;
  int32_t rank = -1;  // of the communicator
  Text func = 0;
  int64_t start_ns = kNoTime, end_ns = kNoTime;
  int64_t duration_ns = 0;
  int64_t excess_ns = 0;  // of that, beyond what is usual
  // By so much would the run be shorter without this excess: less than the excess where another path
  // is nearly as long.
  int64_t gain_ns = 0;
  PathPart part = PathPart::Own;
};

// `path_gains`: what could be won on the critical path. Each excess at once: of a process, of all of a
// host, of all ranks; of the transfers of a communicator, of all.
enum class GainOf : uint8_t { AllRanks, AllTransfers, Process, Host, Communicator };
constexpr const char* kGainOfNames[] = {"all_ranks", "all_transfers", "process", "host",
                                        "communicator"};

struct PathGainRow {
  GainOf of = GainOf::AllRanks;
  uint32_t process = kNoRow, communicator = kNoRow;
  Text host = 0;
  int64_t on_path_ns = 0, excess_ns = 0;  // of the pieces that are theirs
  int64_t gain_ns = 0;  // the run would be so much shorter without any excess of theirs
};

// `expected_times`: how long the operations of one function, size and algorithm take on a
// communicator, from their last arrival to their last end.
enum class ExpectedBy : uint8_t {
  Itself,  // its own undisturbed operations
  Alike,   // those of communicators of the same shape
  Sizes,   // those of other sizes on its communicator
};
constexpr const char* kExpectedByNames[] = {"itself", "alike", "sizes"};

struct ExpectedTimeRow {
  uint32_t communicator = kNoRow;
  Text func = 0, algo = 0, proto = 0;
  uint64_t size_bytes = 0;
  uint64_t operations = 0;  // across ranks, those that set up connections left out
  uint64_t slow = 0;        // of them, in stretches that took clearly longer
  int64_t median_ns = 0;
  int64_t expected_ns = 0;
  ExpectedBy by = ExpectedBy::Itself;
};

// `peer_traffic`: what one rank sent to another, and received from it, by calls of send and receive.
struct PeerTrafficRow {
  uint32_t communicator = kNoRow, process = kNoRow;
  uint32_t peer_process = kNoRow;
  int32_t rank = -1, peer = -1;
  uint64_t sends = 0, receives = 0;
  uint64_t sent_bytes = 0, received_bytes = 0;
};

}  // namespace lockstep::analysis
