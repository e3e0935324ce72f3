// One communicator of the emulated job, from a user thread's side: what NCCL does between an API
// call and the posted proxy operations, with every call to the plugin in NCCL's order. Used by one
// user thread; graph replays run the launch side on the host-callback thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "test/drivers/common/bootstrap.h"
#include "test/drivers/emulate/operation.h"
#include "test/drivers/emulate/progress.h"

namespace lockstep::driver {

// What a user thread remembers between API calls (NCCL keeps it in thread-local storage).
struct ApiState {
  void* group_api = nullptr;
  void* coll_api = nullptr;  // NCCL never clears this one
  void* p2p_api = nullptr;
  uint64_t mask = 0;
};

struct CommunicatorOptions {
  std::string name;
  uint64_t id = 0;
  std::vector<int> members;  // world ranks
  int channels = 2;
  void* context = nullptr;  // what the plugin's init returned
};

struct Task {
  Operation operation;
  OperationPlan plan;
  uint64_t mask = 0;
  void* api = nullptr;
  void* handle = nullptr;
  uint64_t tag = 0;
  uint64_t seq_number = 0;
  size_t first_work = 0;        // in its kernel
  bool completes_pair = false;  // a receive that shares the works of the send before it
};

// One kernel's worth of tasks. A captured one is launched many times, and its handles keep what the
// last launch left.
struct LaunchPlan {
  std::vector<Task> tasks;
  void* group_handle = nullptr;
  bool captured = false;
};

class Communicator {
 public:
  // Collective: all members create it at once. Null progress: it starts its own thread.
  Communicator(Plugin* plugin, Bootstrap* bootstrap, const EmulateOptions& options,
               const GpuClock* gpu, CommunicatorOptions facts, std::shared_ptr<Progress> progress);
  ~Communicator();

  void* context() const { return context_; }
  uint64_t id() const { return facts_.id; }
  int rank() const { return rank_; }
  int ranks() const { return static_cast<int>(facts_.members.size()); }
  bool complete() const { return complete_; }  // all connections are there
  std::shared_ptr<Progress> progress() const { return progress_; }
  Stream& stream() { return stream_; }

  struct CallOptions {
    bool grouped = false;  // within an explicit group
    bool stuck = false;    // on purpose: its data never leaves
  };
  // The API call, scheduling and launch of one group. The kernel to wait for.
  std::shared_ptr<Kernel> call(ApiState* api, const std::vector<Operation>& operations,
                               const CallOptions& how);
  std::shared_ptr<LaunchPlan> capture(ApiState* api, const std::vector<Operation>& operations);
  // The kernel is queued here; run_host_callback makes the rest, on the host-callback thread.
  std::shared_ptr<Kernel> enqueue_replay(const std::shared_ptr<LaunchPlan>& plan);
  void run_host_callback(LaunchPlan* plan, const std::shared_ptr<Kernel>& kernel);
  void ce_all_gather(ApiState* api, uint64_t size_bytes);
  // Of the world alone: its ranks wait for each other by the job's barrier. False: one did not come.
  bool symmetric_all_gather(ApiState* api, uint64_t size_bytes);

  enum class Ending { Drain, Abort };
  void destroy(Ending ending);

 private:
  struct Edge {
    Link send, receive;
  };

  static bool is_launched(const Task& task);
  void connect_all();
  Edge& edge(int peer, int channel) { return edges_[{peer, channel}]; }
  std::vector<Task> api_calls(ApiState* api, const std::vector<Operation>& operations, bool grouped,
                              bool captured);
  void api_call(ApiState* api, Task* task, bool captured);
  void start_group_api(ApiState* api, bool grouped, bool captured);
  void end_group_api(ApiState* api);
  void launch(const ApiState& api, const LaunchPlan& plan,
              const std::function<void()>& queue_kernel);
  void ce_part(Kind kind, void* coll, abi::v7::EventDescr part, const std::function<void()>& work);
  struct Phase {
    const char* name;
    uint64_t start_stamp, stop_stamp;
  };
  void symmetric_events(const Task& task, const std::vector<Phase>& phases);
  void* stream_label() const;
  static void pair_works(std::vector<Task>* tasks);
  static std::shared_ptr<Kernel> make_kernel(const LaunchPlan& plan);
  void host_stream_plan(LaunchPlan* plan, const Kernel& kernel, bool stuck);
  void start_task(Task* task, void* group);
  void post(const LaunchPlan& plan, const Kernel& kernel, bool stuck);
  PostedOp posted_op(const Task& task, int channel) const;

  Plugin* plugin_;
  Bootstrap* bootstrap_;
  const EmulateOptions& options_;
  CommunicatorOptions facts_;
  int rank_ = 0;
  void* context_ = nullptr;
  bool complete_ = true;
  bool destroyed_ = false;
  Stream stream_;
  std::shared_ptr<Progress> progress_;
  std::map<std::pair<int, int>, Edge> edges_;
  std::map<std::string, uint64_t> seq_numbers_;
  std::map<std::string, uint64_t> called_;  // per function and peer, for the tags
  uint64_t ce_seq_ = 0;
  uint64_t groups_called_ = 0;
  const GpuClock* gpu_;
  std::vector<char> ce_buffer_;
};

}  // namespace lockstep::driver
