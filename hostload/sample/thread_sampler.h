// The threads that are sampled, each with its schedstat kept open, so that a sample costs one system
// call a thread. One thread uses it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "hostload/sample/kernel_file.h"
#include "lockstep/load_record.h"

namespace lockstep::hostload {

// Most threads of a host: each takes a descriptor of the process that samples.
constexpr size_t kMostThreads = 256;

class ThreadSampler {
 public:
  // `root` stands before /proc; empty but for tests.
  explicit ThreadSampler(std::string root) : root_(std::move(root)) {}

  // Those that it has already, or that are gone, change nothing.
  void add(const std::vector<LoadThread>& threads);
  // One row a thread into `chunk`, two `with_events`. Threads that have ended leave.
  void sample(bool with_events, LoadChunk* chunk);
  // From here on the rows are for another chunk.
  void begin_chunk();
  size_t size() const { return threads_.size(); }
  std::set<uint32_t> pids() const;  // whose threads they are

 private:
  static constexpr size_t kNotListed = ~size_t{0};
  struct Watched {
    LoadThread thread;
    KernelFile schedstat;
    size_t place = kNotListed;  // in the chunk's threads
  };
  std::string directory_of(const LoadThread& thread) const;
  void sample_events(const Watched& watched, const ThreadTimes& times, LoadChunk* chunk) const;

  std::string root_;
  std::vector<Watched> threads_;
};

}  // namespace lockstep::hostload
