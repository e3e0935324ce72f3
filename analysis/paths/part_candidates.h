// Who or what could be slow, for each of which the run is replayed without it: an edge, a rank, the way from one host to
// another, a host, or what two of them exchange. Made anew whenever one of them is accused.
#pragma once

#include <vector>

#include "analysis/follow/own_segments.h"
#include "analysis/paths/transfer_excess.h"

namespace lockstep::analysis {

// Way: from one host to another, over several edges. Pair, Pairs: the edges between two ranks, or two
// hosts, in both directions.
enum class PartSize : uint8_t { Edge, Rank, Way, Host, Pair, Pairs };

struct PartCandidate {
  PartSize size = PartSize::Edge;
  std::vector<uint32_t> excesses;  // that it covers, ascending
  uint32_t actor = kNoRow, peer = kNoRow;
  Text host = 0, to = 0;
  int64_t at_most_ns = 0, gain_ns = 0;
};

class PartCandidates {
 public:
  // cured: by excess, whether it is accounted for. All must outlive it.
  PartCandidates(const RunTables& run, const OwnSegments& own,
                 const std::vector<TransferExcess>& excesses, const std::vector<uint8_t>& cured)
      : run_(run), own_(own), excesses_(excesses), cured_(cured) {}

  std::vector<PartCandidate> all() const;
  // size: Pair or Pairs. Those with edges in both directions.
  std::vector<PartCandidate> pairs(PartSize size) const;

 private:
  Text host_of(uint32_t actor) const;
  bool has_several_edges(const PartCandidate& way) const;
  void add(uint32_t excess, PartCandidate* candidate) const;

  const RunTables& run_;
  const OwnSegments& own_;
  const std::vector<TransferExcess>& excesses_;
  const std::vector<uint8_t>& cured_;
};

}  // namespace lockstep::analysis
