// What all ranks of a host send to other hosts and receive from them, by time: they may share an adapter, and then each
// transfer takes longer the more of them there are at once. Built once from the tables, n log n in the transfers between
// hosts, each of which is taken to move its bytes evenly; then only read.
#pragma once

#include <map>
#include <vector>

#include "analysis/follow/own_segments.h"

namespace lockstep::analysis {

class HostTraffic {
 public:
  HostTraffic(const RunTables& run, const OwnSegments& own);

  // Of what goes out of the one host or comes into the other between these instants, whichever is more: the share of
  // this match, in (0, 1]. match: a row; of what it moves between hosts, each host sends or receives all.
  double share_of(uint32_t match, Text from, Text to, int64_t begin_ns, int64_t end_ns) const;

 private:
  struct Transfer {
    int64_t begin_ns = kNoTime, end_ns = kNoTime;
    double bytes_per_ns = 0;
  };
  // From each instant on, until the next.
  struct Point {
    int64_t ns = 0;
    double bytes_per_ns = 0;  // until add_up(): by so much more
    double bytes = 0;         // before it
  };
  struct Way {
    std::vector<Point> points;  // by time
    void add(const Transfer& transfer);
    void add_up();
    double until(int64_t ns) const;
  };
  Transfer transfer_of(uint32_t match) const;
  void add(uint32_t match);
  double others(const std::map<Text, Way>& ways, Text host, const Transfer& own, int64_t begin_ns,
                int64_t end_ns) const;

  const RunTables& run_;
  const OwnSegments& own_;
  const Text send_;
  std::map<Text, Way> out_, in_;  // by host
};

}  // namespace lockstep::analysis
