// What people call one operation of one rank, on the command line and in tables:
//
//   FUNC[/PEER]#ORDINAL[.REPLAY]@COMM[#INCARNATION]:RANK     AllReduce#39@world:2  Send/3#7@0x5eed:0
//   EVENT[@HOST.PID]                                         4711  4711@node1.2345
//
// FUNC, ORDINAL, REPLAY and the numbers are columns of `operations` (docs/schema.md). PEER stands with
// sends and receives, whose ordinals count per peer; REPLAY is left out where it is 0, and so is
// INCARNATION. COMM is the communicator's name, or NCCL's id as 0x... where it has none or shares it. EVENT is
// `event_id`; HOST.PID says whose, where several processes have an event of that number.
#pragma once

#include <string>

#include "analysis/tables/run_tables.h"
#include "lockstep/status.h"

namespace lockstep::analysis {

// The first form, which find_operation() takes; the second where there is no communicator.
std::string operation_address(const RunTables& run, const OperationRow& operation);

// The row of `operations`. The error says what is wrong with `name`, or lists those that it could mean.
Result<uint32_t> find_operation(const RunTables& run, const std::string& name);

}  // namespace lockstep::analysis
