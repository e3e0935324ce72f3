// The progress thread of a proxy state ("NCCL Progress"): takes posted operations, advances them
// and the emulated GPU, and makes every call that NCCL makes from there, ProxyCtrl included. One
// per communicator, or shared with the children of a split. User threads post and stop; everything
// else happens on its own thread.
#pragma once

#include <atomic>
#include <deque>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

#include "test/drivers/emulate/proxy_op.h"

namespace lockstep::driver {

class Progress {
 public:
  // The context is that of the communicator that creates it; ProxyCtrl events carry it as long as
  // the thread lives.
  Progress(Plugin* plugin, void* context, const EmulateOptions& options, int world_rank);
  ~Progress();

  void add_stream(Stream* stream);
  void remove_stream(Stream* stream);
  void post(const std::vector<PostedOp>& ops);
  // Waits until nothing is in flight, then ends the thread.
  void drain_and_stop();
  // Ends the thread between two calls, whatever is in flight: nothing more is stopped.
  void abort();

 private:
  void run();
  void sleep();
  void append();
  bool pass();
  bool advance_streams();
  void wait_for_sockets();
  void wake();
  bool has_posted();
  void control(std::initializer_list<abi::State> states);
  Sub* take_sub();

  Plugin* plugin_;
  void* context_;
  const EmulateOptions& options_;
  const int world_rank_;
  ProxyEngine engine_;
  const int wake_fd_;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> aborted_{false};
  std::mutex mutex_;  // posted_ and streams_
  std::vector<PostedOp> posted_;
  std::vector<Stream*> streams_;
  std::list<Sub*> active_;
  int still_ = 0;  // waits in a row in which nothing moved
  std::deque<Sub> pool_;
  std::vector<Sub*> free_;
  std::thread thread_;
};

}  // namespace lockstep::driver
