// What all ranks of a host send to other hosts and receive from them, by time: they may share an adapter, and then each
// transfer takes longer the more of them there are at once. Built once from the tables, n log n in the transfers between
// hosts, each of which is taken to move its bytes evenly; then only read.
#pragma once

#include <map>
#include <vector>

#include "analysis/whatif/own_segments.h"

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
  // Bytes by time, between these instants in a straight line.
  struct Way {
    std::map<int64_t, double> changes;  // of the rate, in bytes per ns
    std::vector<int64_t> at_ns;
    std::vector<double> bytes, rate;
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
  std::map<Text, Way> out_, in_;  // by host
};

}  // namespace lockstep::analysis
