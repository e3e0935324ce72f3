#include "test/drivers/simulate/fault.h"

#include <algorithm>

#include "test/drivers/simulate/ways.h"

namespace lockstep::simulate {
namespace {

constexpr int kPeriod = 5, kBurst = 4;

// Chooses what the user left open, each from numbers of its own.
class Chooser {
 public:
  Chooser(const Layout& layout, const std::vector<Program>& programs, uint64_t seed, uint32_t index)
      : layout_(layout), programs_(programs), random_(seed), index_(index) {}

  int below(int end, uint64_t what) const {
    return static_cast<int>(
        random_.below(static_cast<uint64_t>(end), Draw::Choice, 0xfa00 + index_, what));
  }
  // Not one of `taken`, as long as there are others.
  int draw_rank(const std::vector<int>& taken) const {
    int rank = below(layout_.options.ranks, 1);
    for (size_t i = 0; i < taken.size(); ++i) {
      if (std::count(taken.begin(), taken.end(), rank) != 0)
        rank = (rank + 1) % layout_.options.ranks;
    }
    return rank;
  }
  // Launches of the rank's program of which `fits`.
  template <class Fits>
  std::vector<uint32_t> launches(int rank, Fits fits) const {
    std::vector<uint32_t> found;
    const Program& program = programs_[static_cast<size_t>(rank)];
    for (uint32_t i = 0; i < program.instructions.size(); ++i) {
      const Instruction& at = program.instructions[i];
      if (at.what == Do::Launch && fits(at, program.parts[at.first_part])) found.push_back(i);
    }
    return found;
  }
  template <class Fits>
  bool choose_launch(Fault* fault, Fits fits) const {
    const auto found = launches(fault->rank, fits);
    if (found.empty()) return false;
    fault->instruction = found[static_cast<size_t>(below(static_cast<int>(found.size()), 3))];
    return true;
  }
  Status choose(const std::vector<int>& taken, Fault* fault) const;

 private:
  bool with_it(const Fault& fault, int rank) const;
  Status choose_place(Fault* fault) const;
  Status choose_order(Fault* fault) const;
  Part largest(int rank, uint32_t communicator) const;
  std::vector<int> peers(int rank, bool sends) const;
  Status choose_edge(Fault* fault) const;
  Status choose_adapter(Fault* fault) const;

  const Layout& layout_;
  const std::vector<Program>& programs_;
  Random random_;
  uint32_t index_;
};

Status refuse(const Fault& fault, const char* why) {
  return Status::error(std::string("--class ") + fault.info->name + ": " + why);
}

// Two launches that follow each other on one stream and differ: peers that keep the order can never
// meet this rank.
Status Chooser::choose_order(Fault* fault) const {
  const Program& program = programs_[static_cast<size_t>(fault->rank)];
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  int last[kStreams] = {-1, -1, -1};
  for (uint32_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction& at = program.instructions[i];
    if (at.what != Do::Launch) continue;
    int& before = last[at.stream];
    if (before >= 0) {
      const Part& a = program.parts[program.instructions[static_cast<size_t>(before)].first_part];
      const Part& b = program.parts[at.first_part];
      const bool wanted =
          (a.communicator != b.communicator) == (fault->info->harm == Harm::Deadlock);
      if (wanted && !is_p2p(a.function) && !is_p2p(b.function) && !(a == b))
        pairs.emplace_back(static_cast<uint32_t>(before), i);
    }
    before = static_cast<int>(i);
  }
  if (pairs.empty())
    return refuse(*fault, "the schedule has no two such collectives on one stream");
  const auto& pair = pairs[static_cast<size_t>(below(static_cast<int>(pairs.size()), 3))];
  fault->instruction = pair.first;
  fault->other = pair.second;
  return Status();
}

// What the communicator's largest collective of this rank is: it decides which ways the data takes.
Part Chooser::largest(int rank, uint32_t communicator) const {
  Part found;
  found.communicator = communicator;
  found.function = Function::AllGather;  // without any, sends go along the ring
  for (const Part& part : programs_[static_cast<size_t>(rank)].parts) {
    if (part.communicator == communicator && !is_p2p(part.function) && part.bytes > found.bytes)
      found = part;
  }
  return found;
}

// World ranks to which this one sends over the network in the first communicator that has such, or of
// which it receives.
std::vector<int> Chooser::peers(int rank, bool sends) const {
  std::vector<int> found;
  for (Axis axis : {Axis::Stage, Axis::Data, Axis::World}) {
    const Member& member = layout_.member(rank, axis);
    if (member.communicator == kNoCommunicator || !found.empty()) continue;
    const auto& ranks = layout_.communicators[member.communicator].ranks;
    for (const Way& way : ways_of(largest(rank, member.communicator), layout_)) {
      for (const Hop& hop : hops_of(way)) {
        const size_t self = sends ? hop.from : hop.to, other = sends ? hop.to : hop.from;
        if (self != static_cast<size_t>(member.rank) || other == kNowhere) continue;
        if (layout_.host_of(ranks[other]) == layout_.host_of(rank)) continue;
        if (std::count(found.begin(), found.end(), ranks[other]) == 0)
          found.push_back(ranks[other]);
      }
    }
  }
  return found;
}

Status Chooser::choose_edge(Fault* fault) const {
  for (int turn = 0; turn < layout_.options.ranks; ++turn) {
    const int rank = (fault->rank + turn) % layout_.options.ranks;
    const std::vector<int> found = peers(rank, true);
    if (found.empty()) continue;
    fault->rank = rank;
    fault->peer = found[static_cast<size_t>(below(static_cast<int>(found.size()), 4))];
    return Status();
  }
  return refuse(*fault, "no edge leaves a host; make --gpus-per-host smaller than --ranks");
}

// Of a rank that both sends and receives: else it is the slow edge of two ranks.
Status Chooser::choose_adapter(Fault* fault) const {
  for (int turn = 0; turn < layout_.options.ranks; ++turn) {
    const int rank = (fault->rank + turn) % layout_.options.ranks;
    if (peers(rank, true).empty() || peers(rank, false).empty()) continue;
    fault->rank = rank;
    return Status();
  }
  return refuse(*fault, "no rank both sends and receives over the network; give --adapters gpu");
}

// The launch or the edge, where the class needs one.
Status Chooser::choose_place(Fault* fault) const {
  const Harm harm = fault->info->harm;
  if (fault->info->scope == Scope::TensorGroup && layout_.options.tensor == 1)
    return refuse(*fault, "the job has no tensor ranks; give --tp");
  if (harm == Harm::HeavyStage && layout_.options.stages == 1)
    return refuse(*fault, "the schedule has no stages");
  if (harm == Harm::HeavyExpert && layout_.options.experts == 1)
    return refuse(*fault, "the schedule has no experts");
  if (harm == Harm::SlowNic && layout_.hosts < 2)
    return refuse(*fault, "the job has one host; make --gpus-per-host smaller");
  if (harm == Harm::SlowLink) return choose_edge(fault);
  if (harm == Harm::SlowNic && fault->info->scope == Scope::Rank) return choose_adapter(fault);
  if (harm == Harm::WrongOrder || harm == Harm::Deadlock) return choose_order(fault);
  const auto any = [](const Instruction&, const Part&) { return true; };
  const auto collective = [](const Instruction&, const Part& part) {
    return !is_p2p(part.function);
  };
  const auto large = [](const Instruction&, const Part& part) {
    return !is_p2p(part.function) && part.bytes > 4;
  };
  const bool mismatch = harm == Harm::WrongSize || harm == Harm::WrongFunction;
  if (mismatch && !choose_launch(fault, large) && !choose_launch(fault, collective))
    return refuse(*fault, "the schedule has no collective");
  const auto sends = [](const Instruction&, const Part& part) {
    return part.function != Function::Recv;
  };
  if (harm == Harm::TransferStops) {
    choose_launch(fault, sends);
  } else if (hangs(harm) && !mismatch) {
    choose_launch(fault, any);
  }
  return Status();
}

bool Chooser::with_it(const Fault& fault, int rank) const {
  switch (fault.info->scope) {
    case Scope::Rank:
      return rank == fault.rank;
    case Scope::Host:
      return layout_.host_of(rank) == layout_.host_of(fault.rank);
    case Scope::TensorGroup:
      return rank / layout_.options.tensor == fault.rank / layout_.options.tensor;
    case Scope::Stage:
      return layout_.stage_of(rank) == layout_.stage_of(fault.rank);
    case Scope::Experts:
      return layout_.member(rank, Axis::Expert).rank ==
             layout_.member(fault.rank, Axis::Expert).rank;
    case Scope::World:
      return true;
  }
  return false;
}

Status Chooser::choose(const std::vector<int>& taken, Fault* fault) const {
  if (fault->rank < 0) fault->rank = draw_rank(taken);
  if (fault->rank >= layout_.options.ranks) return refuse(*fault, "--rank is none of the ranks");
  if (fault->first_step >= fault->steps) return refuse(*fault, "--at is none of the steps");
  if (fault->first_step < 0 && fault->info->when != When::Once) fault->first_step = 0;
  if (fault->first_step < 0)
    fault->first_step = fault->steps / 3 + below(std::max(fault->steps / 3, 1), 2);
  const Status chosen = choose_place(fault);
  for (int rank = 0; rank < layout_.options.ranks; ++rank) {
    if (with_it(*fault, rank)) fault->ranks.push_back(rank);
  }
  for (int rank : fault->ranks) {
    if (fault->info->harm != Harm::SlowNic) break;
    if (!peers(rank, true).empty() || !peers(rank, false).empty())
      fault->network_ranks.push_back(rank);
  }
  return chosen;
}

}  // namespace

const std::vector<FaultInfo>& fault_classes() {
  static const std::vector<FaultInfo> all = {
      {"late-rank", Harm::HostDelay, When::Often, Scope::Rank, 0.2,
       "one rank begins half of its steps late, by SIZE healthy steps"},
      {"late-host", Harm::HostDelay, When::Often, Scope::Host, 0.2, "... all ranks of one host"},
      {"late-group", Harm::HostDelay, When::Often, Scope::TensorGroup, 0.2,
       "... all ranks of one tensor group"},
      {"late-bursts", Harm::HostDelay, When::Bursts, Scope::Rank, 0.3, "... in bursts of 4 steps"},
      {"late-start", Harm::HostDelay, When::Start, Scope::Rank, 1, "... in the first 3 steps only"},
      {"late-growing", Harm::HostDelay, When::Growing, Scope::Rank, 0.4,
       "... more and more, SIZE at the end"},
      {"late-periodic", Harm::HostDelay, When::Periodic, Scope::Rank, 1,
       "one rank writes a checkpoint every 5 steps"},
      {"late-once", Harm::HostDelay, When::Once, Scope::Rank, 6,
       "one rank stands still for SIZE healthy steps, once"},
      {"slow-gpu", Harm::SlowCompute, When::Always, Scope::Rank, 0.3,
       "one GPU computes longer by a factor of 1 + SIZE, and so arrives late"},
      {"slow-gpu-bursts", Harm::SlowCompute, When::Bursts, Scope::Rank, 0.6,
       "... in bursts of 4 steps, as when it is too hot"},
      {"slow-gpu-transfer", Harm::SlowTransfer, When::Always, Scope::Rank, 2,
       "one GPU arrives on time and moves data slower by a factor of 1 + SIZE"},
      {"slow-link", Harm::SlowLink, When::Always, Scope::Rank, 2,
       "one network edge is slower by a factor of 1 + SIZE"},
      {"slow-link-bursts", Harm::SlowLink, When::Bursts, Scope::Rank, 4,
       "... in bursts of 4 steps"},
      {"slow-nic", Harm::SlowNic, When::Always, Scope::Host, 2,
       "all network edges of one host are slower by a factor of 1 + SIZE"},
      {"slow-adapter", Harm::SlowNic, When::Always, Scope::Rank, 2,
       "all network edges of one rank are slower by a factor of 1 + SIZE"},
      {"slow-network-bursts", Harm::SlowNic, When::Bursts, Scope::World, 2,
       "all network edges are slower by a factor of 1 + SIZE in bursts of 4 steps: nobody's fault"},
      {"slow-proxy", Harm::SlowProxy, When::Always, Scope::Rank, 2,
       "one rank's proxy threads move data slower by a factor of 1 + SIZE, and report late"},
      {"missing-rank", Harm::HostStops, When::Once, Scope::Rank, 0, "one rank stops calling"},
      {"stuck-gpu", Harm::GpuStops, When::Once, Scope::Rank, 0,
       "a kernel before an operation never ends"},
      {"stuck-transport", Harm::TransferStops, When::Once, Scope::Rank, 0,
       "all are there, and one rank's data does not leave"},
      {"dead-process", Harm::Dies, When::Once, Scope::Rank, 0, "one process is killed"},
      {"lost-host", Harm::Dies, When::Once, Scope::Host, 0, "all processes of one host are killed"},
      {"wrong-order", Harm::WrongOrder, When::Once, Scope::Rank, 0,
       "one rank swaps two collectives of one communicator"},
      {"deadlock", Harm::Deadlock, When::Once, Scope::Rank, 0,
       "one rank swaps two collectives of two communicators that share a stream"},
      {"mismatch-size", Harm::WrongSize, When::Once, Scope::Rank, 0,
       "one rank passes half the size"},
      {"mismatch-function", Harm::WrongFunction, When::Once, Scope::Rank, 0,
       "one rank calls another function"},
      {"heavy-stage", Harm::HeavyStage, When::Always, Scope::Stage, 0.3,
       "structure, no fault: a pipeline stage computes longer by a factor of 1 + SIZE"},
      {"heavy-expert", Harm::HeavyExpert, When::Always, Scope::Experts, 0.5,
       "structure, no fault: one expert of each group gets 1 + SIZE of the tokens"},
  };
  return all;
}

const FaultInfo* find_class(const std::string& name) {
  for (const FaultInfo& info : fault_classes()) {
    if (name == info.name) return &info;
  }
  return nullptr;
}

Result<Fault> make_fault(const FaultOptions& options, const Layout& layout,
                         const std::vector<Program>& programs, int steps, uint64_t seed,
                         uint32_t index) {
  Fault fault;
  fault.info = find_class(options.name);
  fault.index = index;
  if (fault.info == nullptr)
    return Status::error("--class " + options.name + " is not known; --list shows those that are");
  fault.size = options.size == 0 ? fault.info->size : options.size;
  fault.rank = options.rank;
  fault.first_step = options.step;
  fault.steps = steps;
  const Status chosen = Chooser(layout, programs, seed, index).choose(options.taken, &fault);
  if (!chosen.ok()) return chosen;
  return fault;
}

double Faults::strength(const Fault& fault, int step) const {
  const auto number = static_cast<uint64_t>(step);
  if (step < fault.first_step) return 0;
  switch (fault.info->when) {
    case When::Always:
      return 1;
    case When::Often:
      return random_.uniform(Draw::Burst, number, fault.index) < 0.5 ? 1 : 0;
    case When::Bursts:
      return random_.uniform(Draw::Burst, number / kBurst, fault.index) < 0.25 ? 1 : 0;
    case When::Start:
      return step < fault.first_step + 3 ? 1 : 0;
    case When::Growing:
      return static_cast<double>(step + 1) / fault.steps;
    case When::Periodic:
      return step % kPeriod == kPeriod - 1 ? 1 : 0;
    case When::Once:
      return step == fault.first_step ? 1 : 0;
  }
  return 0;
}

int64_t Faults::host_delay_ns(const Place& place) const {
  int64_t ns = 0;
  for (const Fault& fault : faults_) {
    if (fault.info->harm != Harm::HostDelay || !fault.hits(place.rank)) continue;
    ns += static_cast<int64_t>(strength(fault, place.step) * fault.size *
                               static_cast<double>(fault.unit_ns));
  }
  return ns;
}

double Faults::factor(Harm harm, int rank, int step) const {
  double factor = 1;
  for (const Fault& fault : faults_) {
    if (fault.info->harm == harm && fault.hits(rank))
      factor *= 1 + fault.size * strength(fault, step);
  }
  return factor;
}

double Faults::link_factor(int from, int to, int step) const {
  double factor = 1;
  for (const Fault& fault : faults_) {
    const bool nic = fault.info->harm == Harm::SlowNic && (fault.hits(from) || fault.hits(to));
    const bool link = fault.info->harm == Harm::SlowLink && from == fault.rank && to == fault.peer;
    if (nic || link) factor *= 1 + fault.size * strength(fault, step);
  }
  return factor;
}

bool Faults::stops(const Place& place, Harm harm) const {
  for (const Fault& fault : faults_) {
    if (fault.info->harm == harm && fault.hits(place.rank) && place.step == fault.first_step &&
        place.instruction == fault.instruction)
      return true;
  }
  return false;
}

uint32_t Faults::played(const Place& place) const {
  for (const Fault& fault : faults_) {
    const bool swaps = fault.info->harm == Harm::WrongOrder || fault.info->harm == Harm::Deadlock;
    if (!swaps || !fault.hits(place.rank) || place.step != fault.first_step) continue;
    if (place.instruction == fault.instruction) return fault.other;
    if (place.instruction == fault.other) return fault.instruction;
  }
  return place.instruction;
}

void Faults::change(const Place& place, Part* part) const {
  for (const Fault& fault : faults_) {
    if (!fault.hits(place.rank) || place.step != fault.first_step ||
        place.instruction != fault.instruction)
      continue;
    if (fault.info->harm == Harm::WrongSize) part->bytes = part->bytes > 4 ? part->bytes / 2 : 8;
    if (fault.info->harm == Harm::WrongFunction)
      part->function =
          part->function == Function::AllReduce ? Function::AllGather : Function::AllReduce;
  }
}

}  // namespace lockstep::simulate
