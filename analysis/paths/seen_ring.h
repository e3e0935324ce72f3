// What the edges of a ring show of some operations, and what they usually show. Pure; no I/O.
#pragma once

#include <vector>

#include "analysis/tables/tables.h"
#include "analysis/transfers/middle.h"
#include "analysis/transfers/transfer_samples.h"

namespace lockstep::analysis {

// Middles over some of a series' operations.
struct SeenEdge {
  Middle later, lag, wire, work, gpu;
  // `later` of the operations in which that host starts last with which it is least. Not known where too few
  // operations tell, or always the same host starts last.
  LeastOfGroups least_later;
};
struct SeenRing {
  Middle time;
  std::vector<SeenEdge> edges;
  // By network edge: how much later than its sender the receiver of the next network edge is done, so of
  // both edges of the host between them. And the same as `least_later`.
  std::vector<Middle> passages;
  std::vector<LeastOfGroups> least_passages;
  int64_t apart_ns = 0;   // what its ranks start apart, usually
  bool together = false;  // `later` was taken where all ranks had started together
};
// What edges usually show; kNoTime: nothing tells.
struct UsualEdge {
  int64_t later_ns = kNoTime, lag_ns = kNoTime, wire_ns = kNoTime, work_ns = kNoTime,
          gpu_ns = kNoTime;
  // `later` of the edges that are not slow, in a ring that has slow ones: below 0.
  int64_t beside_ns = kNoTime;
  // How late the receiver sees what has come.
  int64_t uptake_ns = kNoTime;
  int64_t unsure_ns = 0;  // later_ns may be longer by this: nothing but one other edge tells it
};

// Without `least_later`. chosen: indices of the edge's operations.
SeenEdge look_at(const EdgeSamples& edge);
SeenEdge look_at(const EdgeSamples& edge, const std::vector<uint32_t>& chosen);

// chosen: indices of the series' operations. Ends tell most where all ranks had started together.
SeenRing look_at_ring(const RingSeries& series, const std::vector<uint32_t>& chosen);

// Whichever of so many hosts starts last an edge shows it; 0: not so, or not known.
size_t starters_that_show(const LeastOfGroups& least, const Middle& all, int64_t usual_ns);

// Behind two slow edges in a row the second receiver is done no later than the first, where it would be done sooner: by
// how much the second shows it. 0: it does not.
int64_t more_of_second(const Middle& later, const UsualEdge& usual);

// Whether the edges between hosts that show more than usual, by edge, are the ways of one host. What little of many steps
// tells of ways that have no host in common is how far apart their hosts are.
bool are_of_one_host(const RingSeries& series, const std::vector<int64_t>& more_ns);

// Its network steps take longer than usual by at least so much, and the network works longer on each as well:
// steps that are sent together wait behind each other, and those that go alone have the whole way before them.
bool is_link_slow(const SeenEdge& seen, const UsualEdge& usual, int64_t least_ns);

}  // namespace lockstep::analysis
