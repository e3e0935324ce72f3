// What disturbs a healthy job: noise models by name, and the factors and delays they make. Every
// number is drawn for its place (rank, step, instruction), so that it does not depend on what else
// happens. Any thread.
#pragma once

#include <string>
#include <vector>

#include "lockstep/status.h"
#include "test/drivers/simulate/random.h"

namespace lockstep::simulate {

// Where in the job something happens.
struct Place {
  int rank = 0, step = 0;
  uint32_t instruction = 0;
};

struct NoiseModel {
  double host_sigma = 0.05, kernel_sigma = 0.005, transfer_sigma = 0.01;  // lognormal
  double preemptions = 0;  // of a host thread, per instruction; each of about preemption_ns
  int64_t preemption_ns = 0;
  int64_t loader_ns = 0;     // added to each step's beginning, exponential
  double loader_stall = 0;   // share of steps in which one rank's loader takes 20 times as long
  int checkpoint_every = 0;  // steps; all ranks
  int64_t checkpoint_ns = 0;
  int collect_every = 0;  // steps; garbage, on each rank at a step of its own
  int64_t collect_ns = 0;
  double warm_up = 0;     // how much longer the first step takes; halves with each step
  double congestion = 0;  // share of transfers that take longer, twice on average
  double losses = 0;      // share of transfers that wait for a retransmission of loss_ns
  int64_t loss_ns = 0;
  double drift = 0;     // how much longer kernels take at the end than at the beginning
  int noisy_host = -1;  // its sigmas count four times
};

struct NoiseInfo {
  const char *name, *help;
};
const std::vector<NoiseInfo>& noises();
// Several together, as far as they go.
Result<NoiseModel> make_noise(const std::vector<std::string>& names, int hosts, uint64_t seed);

class Noise {
 public:
  Noise(const NoiseModel& model, const Random& random, int ranks, int gpus_per_host, int steps)
      : model_(model),
        random_(random),
        ranks_(ranks),
        gpus_per_host_(gpus_per_host),
        steps_(steps) {}

  // The host's time for an instruction of nominally `ns`.
  int64_t host_ns(const Place& place, int64_t ns) const;
  // What a step's beginning takes beyond its nominal time.
  int64_t step_begin_ns(const Place& place) const;
  int64_t kernel_ns(const Place& place, int64_t ns) const;
  double transfer_factor(uint32_t communicator, uint64_t ordinal) const;
  // What a transfer waits for beyond that.
  int64_t transfer_delay_ns(uint32_t communicator, uint64_t ordinal) const;
  // By how much a rank's kernel ends after the first: nobody is told by the same store.
  int64_t end_delay_ns(int rank, uint32_t communicator, uint64_t ordinal) const;
  int noisy_host() const { return model_.noisy_host; }

 private:
  double sigma_factor(int rank) const { return rank / gpus_per_host_ == model_.noisy_host ? 4 : 1; }
  double warm_up_factor(int step) const;

  NoiseModel model_;
  Random random_;
  int ranks_, gpus_per_host_, steps_;
};

}  // namespace lockstep::simulate
