// Plays the programs of all ranks against each other in virtual time: an event queue, host threads that
// enqueue ahead of their GPUs, streams that run kernels one after the other, and operations that move
// data once every member's kernel has begun. Knows neither recordings nor clocks; what happens goes
// to an Observer. The same job gives the same events in the same order. One thread per engine.
#pragma once

#include <cstdint>
#include <vector>

#include "test/drivers/simulate/fault.h"
#include "test/drivers/simulate/layout.h"
#include "test/drivers/simulate/network.h"
#include "test/drivers/simulate/noise.h"
#include "test/drivers/simulate/program.h"

namespace lockstep::simulate {

struct Job {
  const Layout& layout;
  const std::vector<Program>& programs;
  const Network& network;
  const Noise& noise;
  const Faults& faults;
  int steps = 20;
  int sync_every = 1;    // steps after which the programs' HostWait counts
  int run_ahead = 1024;  // kernels that may be enqueued and not ended, on all streams of a rank
};

// One ncclGroup, or a call outside of one, that has been made.
struct Launch {
  int rank = 0, step = 0;
  int64_t called_ns = 0, returned_ns = 0;
  uint8_t stream = 0;
  bool grouped = false;
  const Part* parts = nullptr;
  uint32_t count = 0;
};

// All times are nanoseconds since the job began. Calls come in the order of time, but that a launch
// is told when it is called, with the time it returns, and a transfer when its kernels' ends are known.
class Observer {
 public:
  virtual ~Observer() = default;
  // What it returns stands for the launch below.
  virtual uint64_t launched(const Launch& launch) = 0;
  virtual void kernel_began(int rank, uint64_t launch, int64_t at_ns) = 0;
  virtual void kernel_ended(int rank, uint64_t launch, int64_t at_ns) = 0;
  // How the data of an operation between hosts moves. `stuck` ones come at the end of the job, also
  // those that others of their channel are before: nothing of them moves.
  enum class Progress : uint8_t { Whole, Stuck, Queued };
  virtual void moved(const Meeting& meeting, const Transfer& transfer, Progress progress) = 0;
  // What it was told of this launch after at_ns does not happen: a peer has died.
  virtual void broke(int rank, uint64_t launch, int64_t at_ns) = 0;
  virtual void died(int rank, int64_t at_ns) = 0;
};

struct Outcome {
  int64_t end_ns = 0;                // of the last event
  std::vector<int64_t> finished_ns;  // by world rank; kNever: it did not
  std::vector<int64_t> step_ns;      // when world rank 0 began each step, and the end
  bool hung() const;
};

// `observer` may be nullptr.
Outcome play(const Job& job, Observer* observer);

}  // namespace lockstep::simulate
