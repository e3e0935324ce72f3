#include "hostload/sample/thread_sampler.h"

#include <algorithm>

#include "base/clock_ns.h"
#include "hostload/sample/task_files.h"

namespace lockstep::hostload {

std::string ThreadSampler::directory_of(const LoadThread& thread) const {
  return root_ + "/proc/" + std::to_string(thread.pid) + "/task/" + std::to_string(thread.tid);
}

void ThreadSampler::add(const std::vector<LoadThread>& threads) {
  for (const LoadThread& thread : threads) {
    const bool known = std::any_of(threads_.begin(), threads_.end(), [&](const Watched& one) {
      return one.thread.process_uid == thread.process_uid && one.thread.tid == thread.tid;
    });
    if (known || threads_.size() == kMostThreads) continue;
    Watched watched;
    watched.thread = thread;
    watched.schedstat = KernelFile(directory_of(thread) + "/schedstat");
    if (watched.schedstat.is_open()) threads_.push_back(std::move(watched));
  }
}

std::set<uint32_t> ThreadSampler::pids() const {
  std::set<uint32_t> pids;
  for (const Watched& watched : threads_) pids.insert(watched.thread.pid);
  return pids;
}

void ThreadSampler::begin_chunk() {
  for (Watched& watched : threads_) watched.place = kNotListed;
}

void ThreadSampler::sample(bool with_events, LoadChunk* chunk) {
  bool some_ended = false;
  for (Watched& watched : threads_) {
    ThreadTimes times;
    times.raw_ns = raw_now_ns();
    read_schedstat(watched.schedstat.read(), &times);
    if (times.run_ns == kNotSampled) {
      some_ended = true;
      watched.schedstat = KernelFile();
      continue;
    }
    if (watched.place == kNotListed) {
      watched.place = chunk->threads.size();
      chunk->threads.push_back(watched.thread);
    }
    times.thread = static_cast<int64_t>(watched.place);
    chunk->thread_times.push_back(times);
    if (with_events) sample_events(watched, times, chunk);
  }
  if (!some_ended) return;
  const auto ended = [](const Watched& watched) { return !watched.schedstat.is_open(); };
  threads_.erase(std::remove_if(threads_.begin(), threads_.end(), ended), threads_.end());
}

void ThreadSampler::sample_events(const Watched& watched, const ThreadTimes& times,
                                  LoadChunk* chunk) const {
  ThreadEvents events;
  events.thread = times.thread;
  events.raw_ns = times.raw_ns;
  const std::string directory = directory_of(watched.thread);
  // Opened anew each second: three descriptors a thread would be many in a program that needs its own.
  read_status(KernelFile(directory + "/status").read(), &events);
  read_stat(KernelFile(directory + "/stat").read(), &events);
  chunk->thread_events.push_back(events);
}

}  // namespace lockstep::hostload
