// The calls of a recorded log as data: what call_log.h reads and line_parser.h makes of one line.
// Strings in the calls point into the log, which must outlive them.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "lockstep/event.h"
#include "lockstep/nccl_profiler_abi.h"
#include "test/drivers/common/plugin.h"

namespace lockstep::driver {

enum class LoggedCall : uint8_t { Init, Finalize, Start, Record, Stop };

struct LogLine {
  LoggedCall call;
  Kind kind;
  bool has_args;          // Record: whether NCCL passed arguments
  uint32_t thread;        // index in CallLog::threads
  uint32_t event;         // the recorder's event number, 0 for none
  uint32_t parent;        // event number, 0 for none
  uint32_t parent_group;  // event number, 0 for none
  uint32_t context;
  int64_t time_ns;  // since the log's time zero
  abi::State state;
  abi::StateArgsV4 args;
  uint32_t detail;  // Start: index in CallLog::events; Init: index in CallLog::comms
};

struct LogThread {
  int32_t tid;
  std::string name;
};

struct CallLog {
  // Moving keeps the strings where the events point; copying would not.
  CallLog() = default;
  CallLog(CallLog&&) = default;
  CallLog& operator=(CallLog&&) = default;

  std::string path;
  int32_t rank = 0;
  int32_t pid = 0;
  int64_t zero_mono_ns = 0;
  int table = 0;  // the table it was recorded through, as far as the calls show: 4 or 0
  uint32_t max_event = 0;
  uint32_t max_context = 0;
  std::vector<LogThread> threads;
  std::vector<LogLine> lines;
  std::vector<abi::v7::EventDescr> events;
  std::vector<CommFacts> comms;
  std::deque<std::string> strings;
};

}  // namespace lockstep::driver
