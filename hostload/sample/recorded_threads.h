// Which threads to sample: those that have a block in the memory file of a process of this run, so
// every thread that called NCCL or serves it. Reads what lockstep/shared_blocks.h describes, copied out
// with its bounds checked, for such a file may be cut short or hold anything. With
// LOCKSTEP_CRASH_SAFE=0 a process has no memory file, and its threads are not found. One thread.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "lockstep/load_record.h"

namespace lockstep::hostload {

struct RecordedThreadsOptions {
  std::string root;                  // before /proc; empty but for tests
  std::vector<std::string> folders;  // where memory files may lie
  std::string run_directory;         // as in their headers
};

class RecordedThreads {
 public:
  explicit RecordedThreads(RecordedThreadsOptions options);
  ~RecordedThreads();
  RecordedThreads(const RecordedThreads&) = delete;
  RecordedThreads& operator=(const RecordedThreads&) = delete;

  // Adds the threads found this time, known ones again. Looks at a bounded part of each file a time,
  // and goes on from there the next time.
  void look(std::vector<LoadThread>* found);

 private:
  struct Process;
  void find_processes();
  void add_process(const std::string& path);
  void look_into(Process* process, std::vector<LoadThread>* found) const;
  bool is_alive(const Process& process) const;

  RecordedThreadsOptions options_;
  std::string boot_id_;
  std::map<std::string, Process> processes_;  // by the path of the memory file
  std::set<std::string> foreign_;             // memory files of other runs
};

}  // namespace lockstep::hostload
