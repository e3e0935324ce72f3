// `lockstep agent` makes the report that the plugin asks for before the first communicator goes (plugin/process/snapshot_wish.h),
// where `lockstep run` is not there to make it. Of a run's agents one makes it, and one only: the first to make
// RUN/agents/snapshot.taken, which it removes when it ends. The report is a process of its own that gives way to the
// program (give_way.h). One thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::cli {

class AgentSnapshots {
 public:
  // What was asked for before is not made: whoever asked has ended.
  explicit AgentSnapshots(std::vector<std::string> runs);
  // Ends a report that is being made.
  ~AgentSnapshots();
  AgentSnapshots(const AgentSnapshots&) = delete;
  AgentSnapshots& operator=(const AgentSnapshots&) = delete;

  // Starts what is asked for, and waits for nothing. True: a report is being made.
  bool look();

 private:
  bool is_working();
  void end_report();

  const std::vector<std::string> runs_;
  std::vector<std::string> taken_;  // the files by which others know that it is ours to make
  pid_t report_ = -1;
  int64_t report_began_ns_ = 0;
};

}  // namespace lockstep::cli
