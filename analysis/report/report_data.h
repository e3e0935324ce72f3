// A report as numbers and sentences, computed once by make_report() (report.h): what its files are
// written from. Plain data.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/judge/finding.h"
#include "analysis/page/lanes.h"
#include "analysis/page/whole_run.h"
#include "analysis/report/kept_findings.h"
#include "analysis/say/headline.h"
#include "analysis/tables/capabilities.h"
#include "analysis/tables/tables.h"

namespace lockstep::analysis {

// A distribution of durations; all zero when count is 0. The interval holds the median of the
// process behind the samples with 99.9 % confidence, whatever their distribution (order
// statistics); equal to min and max for few samples.
struct Spread {
  uint64_t count = 0;
  int64_t sum_ns = 0, median_ns = 0, p99_ns = 0, max_ns = 0;
  int64_t median_low_ns = 0, median_high_ns = 0;
};

// Operations that are alike: a line of operations.csv.
struct SignatureRow {
  std::string func, algo, proto, datatype;
  OpKind kind = OpKind::Collective;
  int32_t nranks = 0;
  uint64_t size_bytes = 0;
  uint64_t operations = 0, bytes = 0;  // of all ranks: an all-reduce of 8 ranks counts 8
  uint64_t matches = 0;                // an all-reduce of 8 ranks counts 1
  std::array<uint64_t, 6> states{};    // by OpState
  Spread elapsed;                      // call to finish, per rank
  Spread wait, transfer;               // per rank, as in `arrivals`
  Spread skew;                         // first to last arrival, per match
  double busbw_gbs = 0;                // median over ranks, 0 = unknown; kBandwidthWords
  std::string example;                 // the slowest of them (analysis/tables/operation_address.h)
};

// What busbw_gbs is, for people.
constexpr const char* kBandwidthWords =
    "Bus bandwidth: with nccl-tests' factors, from the last arrival to the last end of all ranks; "
    "of rooted, two-rank and grouped operations, sends and receives from the first arrival, "
    "waiting included. None where an end is not known. Median over rank calls.";

// Operations of one class: a line of classes.csv.
struct ClassRow {
  std::string role, reach, func, size_class, algo, proto;  // role, reach: empty when not known
  uint64_t operations = 0, bytes = 0;                      // of all ranks
  int64_t elapsed_ns = 0, wait_ns = 0;
  std::string example;  // the slowest of them
};

// One rank of a communicator.
struct RankRow {
  int32_t rank = -1;
  std::string host;
  uint64_t operations = 0, bytes = 0, late = 0;
  int64_t elapsed_ns = 0, wait_ns = 0, caused_wait_ns = 0;
  Cause cause = Cause::None;
  // Longest waits for it and of it; empty: none, or it is not of the busiest communicator.
  std::string late_example, waiting_example;
};

// A communicator on which operations were called, and its ranks.
struct CommRanks {
  uint32_t communicator = 0;  // row of `communicators`
  std::string label, role, role_reason, reach;
  int32_t nranks = 0;
  uint64_t operations = 0, bytes = 0;  // of all its ranks
  int64_t elapsed_ns = 0;
  std::vector<RankRow> ranks;  // by rank
};

// A line of top.csv that is of no SignatureRow or RankRow.
struct TopLine {
  std::string category, what;
  uint64_t value = 0;
  std::string unit, example;
};

// Where a line of evidence is seen in the plots of the page: a point of bandwidth by size, and one rank that
// sends to another; each of them only where the line is about one.
struct SaidPlace {
  std::string func;  // empty: no point
  int32_t nranks = 0;
  uint64_t size_bytes = 0;
  int64_t slow_took_ns = 0;              // the middle of the slow operations there, 0: not told
  std::string communicator;              // of the two ranks
  int32_t from_rank = -1, to_rank = -1;  // -1: no pair
};

// A finding, said (analysis/say).
struct SaidFinding {
  FindingKind kind = FindingKind::MissingRank;
  double confidence = 0;
  std::string text;
  std::string communicator;       // empty: it is about none
  std::vector<int32_t> ranks;     // that wait, of the communicator
  std::vector<int32_t> culprits;  // in the largest communicator of their processes, -1: none there
  double cost_share = -1;         // of the run's time, negative: not known
  double since_s = 0;             // Finding::since_s
  std::vector<std::string> evidence;       // lines
  std::vector<std::string> evidence_sql;   // their rows, as SELECTs; empty: a line names none
  std::vector<SaidPlace> evidence_places;  // of each line
  std::vector<int64_t> at_ns;              // when, in run time, as far as its evidence says
};

// A process: where a rank runs.
struct PlaceRow {
  int32_t rank = -1;  // in its largest communicator
  std::string host;
  uint32_t pid = 0;
};

// What neighbouring ranks of one communicator sent to others, by calls of send.
struct PeerCell {
  uint32_t from = 0, to = 0;  // rows and columns of PeerMatrix
  uint64_t bytes = 0, sends = 0;
};
struct PeerMatrix {
  std::string communicator;
  uint32_t side = 0, ranks_per_cell = 1;
  std::vector<PeerCell> cells;  // those with any
};

// ExpectedTimeRow, named.
struct ExpectedRow {
  std::string func, communicator;
  int32_t nranks = 0;
  uint64_t size_bytes = 0, operations = 0, slow = 0;
  int64_t median_ns = 0, expected_ns = 0;
  double busbw_gbs = 0;  // that expected_ns would be; 0 = unknown
};

// One training step of the critical path (analysis/account/step_times.h): a line of steps.csv.
struct StepRow {
  std::string step;      // empty: what belongs to none
  int64_t start_ns = 0;  // since the path began
  int64_t duration_ns = 0, own_ns = 0, transfer_ns = 0, excess_ns = 0, gain_ns = 0;
  std::string rank, host, communicator;
};

// A line of a job's log.
struct LogLine {
  int64_t at_ns = 0;  // since the run's first record
  std::string file, text;
  uint64_t line = 0;
  int32_t rank = -1;
  LogLevel level = LogLevel::Unknown;
};

// A table for people, its cells said already.
struct SaidTable {
  std::string title, words;  // words: a sentence before it, or empty
  std::string coverage;      // the line under it: of which ranks it is, what is not known there
  unsigned rests = 0;  // what its figures rest on (analysis/say/table_coverage.h); 0: no such line
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

// What is known of a communicator.
struct KnownComm {
  std::string communicator;
  std::vector<std::string> nccl;  // versions that its ranks use: "NCCL 2.30.7, table v6"
  Capability known;
};

// How a communicator began (report_starts.h), ns; kNoTime where that is not known.
struct CommStart {
  std::string communicator;
  int32_t nranks = 0;
  uint32_t recorded_ranks = 0;  // whose init is in the recording
  int64_t init_ns = kNoTime;    // the first rank's, since the run's first record
  int64_t apart_ns = kNoTime;   // from there to the last rank's, where all are on one clock
  int32_t last_rank = -1;
  // From a rank's init to its first call of an operation, and which rank took longest.
  int64_t until_call_median_ns = kNoTime, until_call_longest_ns = kNoTime;
  int32_t longest_rank = -1;
  // That operation, from its call to its end on that rank.
  int64_t first_took_median_ns = kNoTime, first_took_longest_ns = kNoTime;
};

struct Report {
  Headline headline;
  int64_t length_ns = 0;                 // from the run's first record to its last sign of life
  int64_t origin_unix_ns = 0;            // CLOCK_REALTIME of that first record
  bool aligned = false;                  // all hosts are on one clock
  int64_t clock_error_ns = 0;            // widest half width between hosts
  std::string title, clock_text;         // clock_text: are times of hosts comparable, and +- what
  std::vector<SignatureRow> signatures;  // most elapsed time first
  std::vector<ClassRow> classes;         // likewise
  std::vector<CommRanks> communicators;  // the busiest first
  std::vector<TopLine> tops;             // by category, most first
  // Host number, seconds, error and offset against that host's first, both in microseconds.
  std::vector<std::array<double, 4>> clock_points;
  std::vector<std::string> clock_hosts;
  std::vector<LogLine> logs;         // by time
  std::vector<std::string> answers;  // sentences, the most important first
  std::vector<std::string> scope;    // sentences: what ran and what was recorded of it
  std::vector<SaidFinding> findings;
  KeptFindings found_live;              // while the job ran
  std::string stacks;                   // where its ranks stood then: JSON, or empty
  std::string no_finding;               // what is said where there is none
  std::string operations_coverage;      // as SaidTable::coverage, of the table of `signatures`
  std::string ranks_coverage;           // likewise, of ranks()
  std::vector<KnownComm> capabilities;  // of every communicator
  std::vector<CommStart> starts;        // of every communicator, by init
  std::vector<SaidTable> accounts;      // how even the ranks are, where the time and the bytes went
  std::vector<StepRow> steps;           // in the order of the path
  int64_t path_start_ns = 0;            // since the run's first record
  std::vector<PlaceRow> places;         // by process
  std::vector<PeerMatrix> peers;        // the busiest communicators first
  std::vector<ExpectedRow> expected;
  std::vector<PageLane> lanes;
  WholeTiles tiles;                   // as the page has it (analysis/page)
  std::string moments;                // slowest_moments() (analysis/page)
  std::vector<std::string> coverage;  // sentences: what is not known, why
  std::vector<std::string> damage;    // sentences: what cannot be read
  uint64_t without_end =
      0;  // calls of ranks that were open when the recording ended, or were given up
  std::vector<std::pair<std::string, std::string>> metrics;  // aggregate.csv

  // What is said where nothing is in `coverage`.
  std::string nothing_missing() const {
    return "Nothing is missing: every call was recorded" +
           (without_end == 0
                ? std::string(" and every operation has an end.")
                : "; " + std::to_string(without_end) +
                      (without_end == 1 ? " call of a rank has" : " calls of ranks have") +
                      " no end.");
  }
  // Of the busiest communicator, whose ranks are shown one by one; empty where nothing was called.
  const std::string& communicator() const {
    static const std::string none;
    return communicators.empty() ? none : communicators.front().label;
  }
  const std::vector<RankRow>& ranks() const {
    static const std::vector<RankRow> none;
    return communicators.empty() ? none : communicators.front().ranks;
  }
};

}  // namespace lockstep::analysis
