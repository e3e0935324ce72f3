// A run laid out by hand for sentences: four ranks of "world" on two hosts, two of them also in "tp",
// with one operation each.
#pragma once

#include <gtest/gtest.h>

#include <tuple>

#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

struct SaidRun : RunTables {
  SaidRun() {
    const char* const hosts[] = {"node7", "node7", "node8", "node8"};
    const auto add_member = [&](uint32_t comm, uint32_t process, int32_t rank) {
      MemberRow member;
      member.communicator = comm;
      member.process = process;
      member.rank = rank;
      members.push_back(member);
    };
    for (uint32_t i = 0; i < 4; ++i) {
      ProcessRow process;
      process.host = strings.intern(hosts[i]);
      process.pid = 4700 + i;
      processes.push_back(process);
      add_member(0, i, static_cast<int32_t>(i));
    }
    add_member(1, 2, 0);
    add_member(1, 3, 1);
    for (const auto& [name, first, count] :
         {std::tuple{"world", 0u, 4u}, std::tuple{"tp", 4u, 2u}}) {
      CommunicatorRow comm;
      comm.comm_id = 0xc0 + first;
      comm.name = strings.intern(name);
      comm.first_member = first;
      comm.members = count;
      comm.nranks = static_cast<int32_t>(count);
      communicators.push_back(comm);
    }
    for (uint32_t comm = 0; comm < 2; ++comm) {
      OperationRow row;
      row.communicator = comm;
      row.func = strings.intern("AllGather");
      row.ordinal = 9;
      row.rank = 0;
      operations.push_back(row);
    }
    arrivals.emplace_back().operation = 0;
    matches.emplace_back().arrivals = 4;
    open_transports.emplace_back();
  }
};

}  // namespace lockstep::analysis
