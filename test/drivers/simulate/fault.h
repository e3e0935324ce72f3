// What goes wrong on purpose: a class of fault, where, when and how much, and what it does to the
// rank, step or edge that the engine asks about. Any thread.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "lockstep/status.h"
#include "test/drivers/simulate/layout.h"
#include "test/drivers/simulate/noise.h"
#include "test/drivers/simulate/program.h"

namespace lockstep::simulate {

// What of the job a fault changes.
enum class Harm : uint8_t {
  HostDelay,      // the host thread begins its step late
  SlowCompute,    // compute kernels take longer
  SlowTransfer,   // this GPU moves data slowly in communication kernels
  SlowLink,       // network edge from `rank` to `peer`
  SlowNic,        // all network edges of the ranks
  SlowProxy,      // the rank's proxy threads come late
  HostStops,      // the host thread never makes the call
  GpuStops,       // the kernel before the operation never ends
  TransferStops,  // everybody is there and no data moves from `rank`
  Dies,           // the process ends, with all it does
  WrongOrder,     // two launches of the step are swapped, of one communicator
  Deadlock,       // ... of two
  WrongSize,
  WrongFunction,
  HeavyStage,  // structure, no fault: one pipeline stage has more to do
  HeavyExpert,
};
constexpr bool hangs(Harm harm) { return harm >= Harm::HostStops && harm < Harm::HeavyStage; }
constexpr bool is_structure(Harm harm) { return harm >= Harm::HeavyStage; }

// Who it hits.
enum class Scope : uint8_t { Rank, Host, TensorGroup, Stage, Experts, World };

// In which steps.
enum class When : uint8_t { Always, Often, Bursts, Start, Growing, Periodic, Once };

struct FaultInfo {
  const char* name;
  Harm harm;
  When when;
  Scope scope;
  double size;  // where the user says nothing
  const char* help;
};
const std::vector<FaultInfo>& fault_classes();

struct Fault {
  const FaultInfo* info = nullptr;
  uint32_t index = 0;  // of the job's faults
  double size = 0;
  std::vector<int> ranks;          // of the world, ascending
  int rank = -1, peer = -1;        // of them, the one it was drawn for; the other end of a link
  std::vector<int> network_ranks;  // SlowNic: of them, those that have network edges
  int first_step = 0, steps = 0;   // of the run
  int64_t unit_ns = 0;             // a healthy step: what `size` is a multiple of, for delays
  uint32_t instruction = 0;        // Once: the launch it hits, and for WrongOrder...
  uint32_t other = 0;              // ... the one it is swapped with

  bool hits(int world_rank) const {
    return std::binary_search(ranks.begin(), ranks.end(), world_rank);
  }
};

struct FaultOptions {
  std::string name = "healthy";
  double size = 0;  // 0: the class's own
  int rank = -1;    // -1: drawn, none of...
  std::vector<int> taken;
  int step = -1;
};

const FaultInfo* find_class(const std::string& name);

// Chooses rank, host and step where they are not given. The error says why the class does not fit the
// job, for example an edge between hosts in a job of one host.
Result<Fault> make_fault(const FaultOptions& options, const Layout& layout,
                         const std::vector<Program>& programs, int steps, uint64_t seed,
                         uint32_t index);

class Faults {
 public:
  Faults() = default;
  Faults(std::vector<Fault> faults, const Random& random)
      : faults_(std::move(faults)), random_(random) {}

  int64_t host_delay_ns(const Place& place) const;
  double compute_factor(const Place& place) const {
    return factor(Harm::SlowCompute, place.rank, place.step);
  }
  // How much longer a transfer takes: over a network edge, through a GPU, through a rank's proxies.
  double link_factor(int from, int to, int step) const;
  double gpu_factor(int rank, int step) const { return factor(Harm::SlowTransfer, rank, step); }
  double proxy_factor(int rank, int step) const { return factor(Harm::SlowProxy, rank, step); }
  bool stops(const Place& place, Harm harm) const;
  // The instruction that the rank plays at this place: another one when the order is wrong.
  uint32_t played(const Place& place) const;
  void change(const Place& place, Part* part) const;
  const std::vector<Fault>& all() const { return faults_; }

 private:
  // 0 in steps that the fault leaves alone, else up to 1.
  double strength(const Fault& fault, int step) const;
  double factor(Harm harm, int rank, int step) const;

  std::vector<Fault> faults_;
  Random random_{0};
};

}  // namespace lockstep::simulate
