// When data could begin to cross each edge between hosts of a chain: of an operation whose data goes from
// a root along all ranks, or along all ranks to it. On each channel it enters each host once and leaves it
// once, or ends there; channels may do so at ranks of their own. What an edge's transfer takes depends on
// what was there when it began, so only those are told that began in a way that is known, each with that
// way: only such are comparable. Pure functions.
#pragma once

#include <vector>

#include "analysis/tables/run_tables.h"
#include "analysis/transfers/alike_sizes.h"

namespace lockstep::analysis {

// How a transfer begins, for its time: when the sender has the data, along a chain.
enum class Begin : uint8_t {
  Whole,   // all of it moves from when the sender, or either of a send and its receive, begins
  Passed,  // ... and has to pass all ranks of the sender's host first, in an order that is not known
  Fed,     // it arrives at the sender's host while it is sent on
  Waited,  // the first of it was sent before the receiver began
};

struct ChainEdge {
  uint32_t match = kNoRow;              // row
  uint32_t from = kNoRow, to = kNoRow;  // rows of `arrivals`
  Begin begin = Begin::Whole;
  int64_t begun_ns = kNoTime, done_ns = kNoTime;
  int64_t fed_ns = kNoTime;  // when the sender's host had all of it; kNoTime: it comes from there
};

// matches: rows, of one communicator, function and alike size.
std::vector<ChainEdge> chain_edges(const RunTables& run, const AlikeSizes& sizes,
                                   const std::vector<uint32_t>& matches);

}  // namespace lockstep::analysis
