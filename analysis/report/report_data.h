// A report as numbers and sentences, computed once by make_report() (report.h): what its files are
// written from. Plain data.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/judge/finding.h"
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
  double busbw_gbs = 0;                // median over ranks, 0 = unknown
};

// One rank of the busiest communicator.
struct RankRow {
  int32_t rank = -1;
  std::string host;
  uint64_t operations = 0, bytes = 0, late = 0;
  int64_t elapsed_ns = 0, wait_ns = 0, caused_wait_ns = 0;
  Cause cause = Cause::None;
};

// A finding, said (analysis/say).
struct SaidFinding {
  FindingKind kind = FindingKind::MissingRank;
  double confidence = 0;
  std::string text;
};

// One training step of the critical path (analysis/account/step_times.h): a line of steps.csv.
struct StepRow {
  std::string step;      // empty: what belongs to none
  int64_t start_ns = 0;  // since the path began
  int64_t duration_ns = 0, own_ns = 0, transfer_ns = 0, excess_ns = 0, gain_ns = 0;
  std::string rank, host, communicator;
};

// A table for people, its cells said already.
struct SaidTable {
  std::string title, words;  // words: a sentence before it, or empty
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

// Arrival after the first rank, microseconds: the largest of each bin of consecutive operations and
// of neighbouring ranks; negative = not known.
struct HeatMap {
  size_t ranks_per_row = 1, operations_per_column = 1, columns = 0;
  std::vector<std::vector<double>> rows;
};

struct Report {
  std::string title, clock_text;         // clock_text: are times of hosts comparable, and +- what
  std::string communicator;              // the busiest one, whose ranks are shown
  std::vector<SignatureRow> signatures;  // most elapsed time first
  std::vector<RankRow> ranks;            // by rank
  HeatMap heat;
  std::vector<std::array<double, 3>> clock_points;  // host number, seconds, error in microseconds
  std::vector<std::string> clock_hosts;
  std::vector<std::string> answers;  // sentences, the most important first
  std::vector<SaidFinding> findings;
  std::vector<SaidTable> accounts;                           // where the time and the bytes went
  std::vector<StepRow> steps;                                // in the order of the path
  std::vector<std::string> coverage;                         // sentences: what is not known, why
  std::vector<std::pair<std::string, std::string>> metrics;  // aggregate.csv
};

}  // namespace lockstep::analysis
