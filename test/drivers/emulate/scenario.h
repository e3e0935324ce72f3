// One rank's life in an emulated job: communicators, iterations, what is injected, the end. Runs on
// the process's main thread, which is the job's user thread.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "test/drivers/common/truth.h"
#include "test/drivers/emulate/communicator.h"
#include "test/drivers/emulate/host_callback.h"

namespace lockstep::driver {

class Scenario {
 public:
  Scenario(const EmulateOptions& options, Plugin* plugin, Bootstrap* bootstrap, TruthFile* truth);
  // The process's exit status: 0 when everything went as the options ask.
  int run();

 private:
  struct Pending {
    std::shared_ptr<Kernel> kernel;
    Communicator* comm;
    std::vector<uint64_t> operations;
  };

  void write_run_facts();
  bool create_communicators();
  void create(std::vector<CommunicatorOptions> wanted, const std::shared_ptr<Progress>& shared);
  int nodes_of(const std::vector<int>& members) const;
  bool agree_on_the_start();
  void run_iterations();
  bool run_iteration(int iteration);
  void call_on(Communicator* comm, int iteration);
  void call_group(Communicator* comm, int iteration, std::vector<Operation> operations,
                  bool grouped);
  void replay_graph(Communicator* comm, int iteration, const Operation& operation);
  std::vector<uint64_t> note_called(const Communicator& comm, int iteration,
                                    const std::vector<Operation>& operations);
  bool synchronize();
  bool is_culprit(int rank, int iteration) const;
  bool is_late(int iteration) const;
  void wait_for_rate(int iteration);
  void read_data(int iteration);
  void destroy_all(Communicator::Ending ending);
  int world_rank() const { return bootstrap_->rank(); }

  const EmulateOptions& options_;
  Plugin* plugin_;
  Bootstrap* bootstrap_;
  TruthFile* truth_;
  const GpuClock gpu_;
  ApiState api_;
  std::vector<std::unique_ptr<Communicator>> comms_;
  std::unique_ptr<HostCallbackThread> host_;
  std::map<std::pair<Communicator*, std::string>, std::shared_ptr<LaunchPlan>> graphs_;
  std::map<std::pair<uint64_t, std::string>, uint64_t> ordinals_;
  std::deque<Pending> pending_;
  uint64_t next_operation_ = 0;
  Instant began_{};
  std::vector<char> data_;  // the block that was read last
  bool stalled_ = false;
};

}  // namespace lockstep::driver
