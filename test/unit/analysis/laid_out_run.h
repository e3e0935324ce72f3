// A run whose operations a test lays out by hand, with the start and end of each rank's part: every rank
// is a process of its own and in every communicator, and no operation sets up a connection.
#pragma once

#include <vector>

#include "analysis/follow/own_segments.h"

namespace lockstep::analysis {

class LaidOutRun {
 public:
  explicit LaidOutRun(uint32_t ranks) {
    run.processes.resize(ranks);
    for (uint32_t number = 0; number < 2; ++number) {
      CommunicatorRow comm;
      comm.nranks = static_cast<int32_t>(ranks);
      comm.first_member = number * ranks;
      comm.members = ranks;
      for (uint32_t rank = 0; rank < ranks; ++rank) {
        MemberRow& member = run.members.emplace_back();
        member.communicator = number;
        member.process = rank;
        member.rank = static_cast<int32_t>(rank);
      }
      run.communicators.push_back(comm);
    }
  }

  struct Part {
    uint32_t rank;
    int64_t start_ns, end_ns;
    uint64_t group = 0;  // its group call; 0: it is in none
  };
  // In the order of the calls. Returns its row of `matches`.
  uint32_t operation(const std::vector<Part>& parts) { return operation_on(0, parts); }
  uint32_t operation_on(uint32_t communicator, const std::vector<Part>& parts) {
    calls_.push_back({communicator, parts});
    return static_cast<uint32_t>(calls_.size() - 1);
  }

  void finish() {
    for (uint32_t rank = 0; rank < run.processes.size(); ++rank) {
      for (uint32_t match = 0; match < calls_.size(); ++match) {
        for (const Part& part : calls_[match].parts) {
          if (part.rank == rank) add_operation(part, match);
        }
      }
    }
    for (uint32_t match = 0; match < calls_.size(); ++match) add_match(match);
    own = find_own_segments(run);
    own_excess_ns.assign(run.arrivals.size(), 0);
    transfer_excess_ns.assign(run.matches.size(), 0);
  }
  // Row of `arrivals`.
  uint32_t arrival(uint32_t match, uint32_t rank) const {
    uint32_t row = run.matches[match].first_arrival;
    while (run.arrivals[row].rank != static_cast<int32_t>(rank)) ++row;
    return row;
  }

  RunTables run;
  OwnSegments own;
  std::vector<int64_t> own_excess_ns, transfer_excess_ns;  // 0: the test says what is beyond usual

 private:
  void add_operation(const Part& part, uint32_t match) {
    OperationRow row;
    row.process = part.rank;
    row.communicator = calls_[match].communicator;
    row.rank = static_cast<int32_t>(part.rank);
    row.match = match;
    row.ordinal = match + 1;
    row.group_id = part.group;
    row.state = OpState::Done;
    row.finish_ns = part.end_ns;
    run.operations.push_back(row);
  }
  void add_match(uint32_t number) {
    MatchRow match;
    match.communicator = calls_[number].communicator;
    match.first_arrival = static_cast<uint32_t>(run.arrivals.size());
    match.arrivals = match.expected = static_cast<uint32_t>(calls_[number].parts.size());
    match.comparable = 1;
    for (const Part& part : calls_[number].parts) {
      ArrivalRow arrival;
      arrival.match = number;
      arrival.rank = static_cast<int32_t>(part.rank);
      arrival.arrival_ns = part.start_ns;
      arrival.finish_ns = part.end_ns;
      arrival.basis = ArrivalBasis::KernelStart;
      for (uint32_t o = 0; o < run.operations.size(); ++o) {
        if (run.operations[o].match == number && run.operations[o].process == part.rank)
          arrival.operation = o;
      }
      run.arrivals.push_back(arrival);
    }
    run.matches.push_back(match);
  }

  struct Call {
    uint32_t communicator;
    std::vector<Part> parts;
  };
  std::vector<Call> calls_;
};

}  // namespace lockstep::analysis
