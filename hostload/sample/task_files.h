// What /proc/PID/task/TID/{schedstat,status,stat} say of a thread. Pure functions, any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "lockstep/load_record.h"

namespace lockstep::hostload {

// "run_ns wait_ns timeslices"; `thread` and `raw_ns` are the caller's.
void read_schedstat(std::string_view text, ThreadTimes* times);

// Context switches and affinity.
void read_status(std::string_view text, ThreadEvents* events);

// Page faults and the last processor.
void read_stat(std::string_view text, ThreadEvents* events);

// Field 22 of a process's stat: tells a reused pid. 0 where there is none.
uint64_t start_time(std::string_view stat);

}  // namespace lockstep::hostload
