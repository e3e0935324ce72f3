#include "test/drivers/simulate/engine.h"

#include <algorithm>
#include <deque>
#include <queue>
#include <unordered_map>

namespace lockstep::simulate {
namespace {

// What the host thread spends on a launch, and until its kernel can begin.
constexpr int64_t kLaunchNs = 6'000, kCallNs = 12'000, kPartNs = 1'500, kStreamWaitNs = 800,
                  kWakeNs = 4'000, kToGpuNs = 3'000;

struct Item {
  Do what = Do::Compute;
  uint8_t other = 0;  // StreamWait
  bool broken = false;
  int step = 0;
  uint32_t instruction = 0, first_part = 0, parts = 0, open = 0;
  int64_t issued_ns = 0, end_ns = 0;
  uint64_t target = 0;  // StreamWait: so many items of the other stream
  uint64_t launch = 0;  // the observer's
};

struct Stream {
  std::deque<Item> items;
  uint64_t issued = 0, done = 0;
  bool running = false;
};

enum class Waits : uint8_t { No, ForStream, ForRoom, ForEver };

struct Host {
  int step = 0;
  uint32_t next = 0;  // instruction
  Waits waits = Waits::No;
  uint8_t stream = 0;
  bool dead = false;
  Stream streams[kStreams];
  uint64_t outstanding = 0;
};

struct Event {
  enum Kind : uint8_t { HostGoesOn, KernelBegins, KernelEnds };
  int64_t at_ns;
  uint64_t number;  // breaks ties in the order of making
  int rank;
  Kind kind;
  uint8_t stream;
  bool operator<(const Event& other) const {
    return at_ns != other.at_ns ? at_ns > other.at_ns : number > other.number;
  }
};

class Engine {
 public:
  Engine(const Job& job, Observer* observer);
  Outcome run();

 private:
  Host& host(int rank) { return hosts_[static_cast<size_t>(rank)]; }
  const Program& program(int rank) const { return job_.programs[static_cast<size_t>(rank)]; }
  void at(int64_t ns, Event::Kind kind, int rank, uint8_t stream = 0) {
    queue_.push({ns, ++events_, rank, kind, stream});
  }

  void host_goes_on(int rank);
  bool play_instruction(int rank, uint32_t played, int64_t* now_ns);
  bool begin_step(int rank, int64_t now_ns);
  void launch(int rank, const Place& place, const Instruction& instruction, int64_t* now_ns);
  void try_start(int rank, uint8_t stream, int64_t now_ns);
  void item_done(int rank, uint8_t stream, int64_t now_ns);
  void kernel_begins(int rank, uint8_t stream);
  void kernel_ends(int rank, uint8_t stream);
  Channel& channel_of(int rank, const Part& part, size_t* member);
  void call(int rank, uint8_t stream, const Item& item, const Part& part, uint32_t index);
  void arrive(int rank, const Part& part);
  void progress(Meeting* meeting);
  void part_ends(int rank, uint8_t stream, int64_t end_ns);
  void tell_of_stuck(const Channel& channel);
  void die(int rank);
  void break_operations_of(int rank);
  Part part_of(int rank, const Item& item, uint32_t index) const;

  const Job& job_;
  Observer* observer_;
  std::vector<Host> hosts_;
  std::vector<Channel> collectives_;              // by communicator
  std::unordered_map<uint64_t, size_t> pair_at_;  // by communicator, sender and receiver
  std::deque<Channel> pairs_;
  Transfer transfer_;
  std::priority_queue<Event> queue_;
  uint64_t events_ = 0;
  int64_t now_ns_ = 0;
  Outcome outcome_;
};

Engine::Engine(const Job& job, Observer* observer)
    : job_(job), observer_(observer), hosts_(static_cast<size_t>(job.layout.options.ranks)) {
  for (const Communicator& communicator : job.layout.communicators)
    collectives_.emplace_back(communicator.ranks.size());
  outcome_.finished_ns.assign(hosts_.size(), kNever);
}

Outcome Engine::run() {
  for (int rank = 0; rank < job_.layout.options.ranks; ++rank) at(0, Event::HostGoesOn, rank);
  while (!queue_.empty()) {
    const Event event = queue_.top();
    queue_.pop();
    now_ns_ = event.at_ns;
    if (host(event.rank).dead) continue;
    outcome_.end_ns = now_ns_;
    switch (event.kind) {
      case Event::HostGoesOn:
        host_goes_on(event.rank);
        break;
      case Event::KernelBegins:
        kernel_begins(event.rank, event.stream);
        break;
      case Event::KernelEnds:
        kernel_ends(event.rank, event.stream);
        break;
    }
  }
  outcome_.step_ns.push_back(outcome_.end_ns);
  for (const Channel& channel : collectives_) tell_of_stuck(channel);
  for (const Channel& channel : pairs_) tell_of_stuck(channel);
  return std::move(outcome_);
}

// False: the rank is through with its steps.
bool Engine::begin_step(int rank, int64_t now_ns) {
  Host& at = host(rank);
  if (at.next == program(rank).instructions.size()) {
    at.next = 0;
    ++at.step;
  }
  if (at.step == job_.steps) {
    outcome_.finished_ns[static_cast<size_t>(rank)] = now_ns;
    return false;
  }
  if (rank == 0 && at.next == 0) outcome_.step_ns.push_back(now_ns);
  return true;
}

void Engine::host_goes_on(int rank) {
  Host& self = host(rank);
  int64_t now_ns = now_ns_;
  while (true) {
    if (!begin_step(rank, now_ns)) return;
    const Place place{rank, self.step, self.next};
    if (job_.faults.stops(place, Harm::HostStops)) {
      self.waits = Waits::ForEver;
      return;
    }
    if (job_.faults.stops(place, Harm::Dies)) return die(rank);
    if (!play_instruction(rank, job_.faults.played(place), &now_ns)) return;
    // Time that passed on the host is the queue's business, so that waits see what is done by then.
    if (now_ns != now_ns_) return at(now_ns, Event::HostGoesOn, rank);
  }
}

// False: the host thread waits, and is told when it goes on.
bool Engine::play_instruction(int rank, uint32_t played, int64_t* now_ns) {
  Host& self = host(rank);
  const Place place{rank, self.step, self.next};
  const Instruction& instruction = program(rank).instructions[played];
  switch (instruction.what) {
    case Do::Load:
      *now_ns += job_.noise.step_begin_ns(place) + job_.faults.host_delay_ns(place);
      [[fallthrough]];
    case Do::Work:
      *now_ns += job_.noise.host_ns(place, instruction.ns);
      break;
    case Do::HostWait: {
      const Stream& stream = self.streams[instruction.stream];
      const int step = self.step + 1;  // whoever ends waits in any case
      const bool waits = step % job_.sync_every == 0 || step == job_.steps;
      if (waits && stream.done != stream.issued) {
        self.waits = Waits::ForStream;
        self.stream = instruction.stream;
        return false;
      }
      break;
    }
    case Do::Compute:
    case Do::Launch:
      if (self.outstanding >= static_cast<uint64_t>(job_.run_ahead)) {
        self.waits = Waits::ForRoom;
        return false;
      }
      launch(rank, place, instruction, now_ns);
      break;
    case Do::StreamWait: {
      const Stream& other = self.streams[instruction.other];
      *now_ns += kStreamWaitNs;
      if (other.done == other.issued) break;
      Item item;
      item.what = Do::StreamWait;
      item.other = instruction.other;
      item.target = other.issued;
      Stream& stream = self.streams[instruction.stream];
      ++stream.issued;
      stream.items.push_back(item);
      try_start(rank, instruction.stream, now_ns_);
      break;
    }
  }
  ++self.next;
  return true;
}

void Engine::launch(int rank, const Place& place, const Instruction& instruction, int64_t* now_ns) {
  Host& self = host(rank);
  Item item;
  item.what = instruction.what;
  item.step = self.step;
  item.instruction = self.next;
  int64_t cost_ns = kLaunchNs;
  if (instruction.what == Do::Compute) {
    item.end_ns = job_.noise.kernel_ns(place, instruction.ns);
    const double slow = job_.faults.compute_factor(place);
    if (slow != 1) item.end_ns = static_cast<int64_t>(static_cast<double>(item.end_ns) * slow);
  } else {
    cost_ns = kCallNs + kPartNs * (instruction.parts - 1);
  }
  const int64_t called_ns = *now_ns;
  *now_ns += job_.noise.host_ns(place, cost_ns);
  item.issued_ns = *now_ns;
  if (instruction.what == Do::Launch) {
    std::vector<Part> parts(
        program(rank).parts.begin() + instruction.first_part,
        program(rank).parts.begin() + instruction.first_part + instruction.parts);
    for (Part& part : parts) job_.faults.change(place, &part);
    item.first_part = instruction.first_part;
    item.parts = item.open = instruction.parts;
    if (observer_ != nullptr) {
      item.launch = observer_->launched({rank, self.step, called_ns, *now_ns, instruction.stream,
                                         instruction.grouped, parts.data(), instruction.parts});
    }
    for (uint32_t i = 0; i < instruction.parts; ++i)
      call(rank, instruction.stream, item, parts[i], i);
  }
  Stream& stream = self.streams[instruction.stream];
  ++stream.issued;
  ++self.outstanding;
  stream.items.push_back(item);
  try_start(rank, instruction.stream, now_ns_);
}

Part Engine::part_of(int rank, const Item& item, uint32_t index) const {
  Part part = program(rank).parts[item.first_part + index];
  job_.faults.change({rank, item.step, item.instruction}, &part);
  return part;
}

// Starts what can start at the head of a stream.
void Engine::try_start(int rank, uint8_t stream, int64_t now_ns) {
  Host& self = host(rank);
  Stream& queue = self.streams[stream];
  while (!queue.running && !queue.items.empty()) {
    Item& item = queue.items.front();
    if (item.what == Do::StreamWait) {
      if (self.streams[item.other].done < item.target) return;
      queue.items.pop_front();
      item_done(rank, stream, now_ns);
      continue;
    }
    if (item.what == Do::Launch &&
        job_.faults.stops({rank, item.step, item.instruction}, Harm::GpuStops))
      return;
    queue.running = true;
    const int64_t begin_ns = std::max(item.issued_ns + kToGpuNs, now_ns);
    if (item.what == Do::Launch) return at(begin_ns, Event::KernelBegins, rank, stream);
    return at(begin_ns + item.end_ns, Event::KernelEnds, rank, stream);
  }
}

// Counts it, and wakes what waited for it: the host thread and the other streams of this rank.
void Engine::item_done(int rank, uint8_t stream, int64_t now_ns) {
  Host& self = host(rank);
  Stream& queue = self.streams[stream];
  ++queue.done;
  for (uint8_t other = 0; other < kStreams; ++other) {
    if (other != stream) try_start(rank, other, now_ns);
  }
  const bool goes_on = self.waits == Waits::ForRoom ||
                       (self.waits == Waits::ForStream &&
                        self.streams[self.stream].done == self.streams[self.stream].issued);
  if (!goes_on) return;
  self.waits = Waits::No;
  at(now_ns + kWakeNs, Event::HostGoesOn, rank);
}

void Engine::kernel_begins(int rank, uint8_t stream) {
  Item& item = host(rank).streams[stream].items.front();
  if (observer_ != nullptr) observer_->kernel_began(rank, item.launch, now_ns_);
  item.end_ns = now_ns_;
  // Ends may be told at once, which leaves the item where it is: ends come by the queue.
  for (uint32_t i = 0; i < item.parts; ++i) arrive(rank, part_of(rank, item, i));
}

void Engine::kernel_ends(int rank, uint8_t stream) {
  Host& self = host(rank);
  Stream& queue = self.streams[stream];
  const Item item = queue.items.front();
  if (item.broken) return;
  if (item.what == Do::Launch && observer_ != nullptr)
    observer_->kernel_ended(rank, item.launch, now_ns_);
  queue.items.pop_front();
  queue.running = false;
  --self.outstanding;
  item_done(rank, stream, now_ns_);
  try_start(rank, stream, now_ns_);
}

// Where operations like this one meet, and as whom the rank comes.
Channel& Engine::channel_of(int rank, const Part& part, size_t* member) {
  const int self = job_.layout.rank_in(rank, part.communicator);
  if (!is_p2p(part.function)) {
    *member = static_cast<size_t>(self);
    return collectives_[part.communicator];
  }
  const bool send = part.function == Function::Send;
  *member = send ? 0 : 1;
  const uint64_t from = static_cast<uint32_t>(send ? self : part.peer);
  const uint64_t to = static_cast<uint32_t>(send ? part.peer : self);
  const uint64_t key = (uint64_t{part.communicator} << 20 | from) << 20 | to;
  const auto [found, is_new] = pair_at_.try_emplace(key, pairs_.size());
  if (is_new) pairs_.emplace_back();
  return pairs_[found->second];
}

// A rank has enqueued its part of an operation.
void Engine::call(int rank, uint8_t stream, const Item& item, const Part& part, uint32_t index) {
  size_t self = 0;
  Meeting& meeting = channel_of(rank, part, &self).next_called(self);
  if (meeting.called++ == 0) {
    meeting.part = part;
    meeting.step = item.step;
  }
  meeting.mismatched |= !is_p2p(part.function) && !(meeting.part == part);
  MeetingMember& member = meeting.members[self];
  member.rank = rank;
  member.stream = stream;
  member.part = index;
  member.launch = item.launch;
  member.called_ns = item.issued_ns;
  member.stops = part.function != Function::Recv &&
                 job_.faults.stops({rank, item.step, item.instruction}, Harm::TransferStops);
  // Its buffers are there now for those whose kernels have begun.
  if (meeting.begun != 0) progress(&meeting);
}

// Its kernel has begun.
void Engine::arrive(int rank, const Part& part) {
  size_t self = 0;
  Channel& channel = channel_of(rank, part, &self);
  Meeting& meeting = channel.next_begun(self);
  meeting.members[self].begun_ns = now_ns_;
  ++meeting.begun;
  progress(&meeting);
  channel.forget_done();
}

// Ends the kernels whose part in the operation is over: of most collectives when everybody's has
// begun, along a chain and of a transfer as soon as the data got there.
void Engine::progress(Meeting* meeting) {
  const Function function = meeting->part.function;
  const bool together = !is_p2p(function) && !is_rooted(function);
  if (meeting->done || meeting->mismatched) return;
  if (together && meeting->begun < meeting->members.size()) return;
  for (const MeetingMember& at : meeting->members) {
    if ((together && at.stops) || (at.rank >= 0 && host(at.rank).dead)) return;
  }
  job_.network.play(*meeting, &transfer_);
  meeting->done = true;
  for (size_t i = 0; i < meeting->members.size(); ++i) {
    MeetingMember& at = meeting->members[i];
    const int64_t end_ns = transfer_.ends_ns[i];
    if (!at.ended && happens(end_ns)) {
      at.ended = true;
      part_ends(at.rank, at.stream, end_ns);
    }
    meeting->done = meeting->done && at.ended;
  }
  if (meeting->done && observer_ != nullptr && transfer_.over_network)
    observer_->moved(*meeting, transfer_, Observer::Progress::Whole);
}

void Engine::tell_of_stuck(const Channel& channel) {
  if (observer_ == nullptr) return;
  auto progress = Observer::Progress::Stuck;
  for (const Meeting& meeting : channel.open()) {
    if (meeting.done || meeting.called == 0) continue;
    job_.network.play(meeting, &transfer_);
    if (transfer_.over_network) observer_->moved(meeting, transfer_, progress);
    progress = Observer::Progress::Queued;
  }
}

// The kernel ends with the last of its operations.
void Engine::part_ends(int rank, uint8_t stream, int64_t end_ns) {
  Item& item = host(rank).streams[stream].items.front();
  item.end_ns = std::max(item.end_ns, end_ns);
  if (--item.open == 0 && !item.broken)
    at(std::max(item.end_ns, now_ns_), Event::KernelEnds, rank, stream);
}

// The rank, and whoever a fault takes with it.
void Engine::die(int rank) {
  for (const Fault& fault : job_.faults.all()) {
    if (fault.info->harm != Harm::Dies) continue;
    for (int victim = 0; victim < job_.layout.options.ranks; ++victim) {
      const bool with_it = fault.hits(rank) && fault.hits(victim);
      if (!with_it || host(victim).dead) continue;
      host(victim).dead = true;
      if (observer_ != nullptr) observer_->died(victim, now_ns_);
    }
  }
  for (int victim = 0; victim < job_.layout.options.ranks; ++victim) {
    if (host(victim).dead) break_operations_of(victim);
  }
}

// What a dead process was to send does not come any more.
void Engine::break_operations_of(int rank) {
  for (int other = 0; other < job_.layout.options.ranks; ++other) {
    for (Stream& stream : host(other).streams) {
      if (!stream.running || stream.items.front().what != Do::Launch) continue;
      Item& head = stream.items.front();
      for (uint32_t i = 0; i < head.parts; ++i) {
        const Part part = part_of(other, head, i);
        const auto& ranks = job_.layout.communicators[part.communicator].ranks;
        const bool with_it = is_p2p(part.function)
                                 ? ranks[static_cast<size_t>(part.peer)] == rank
                                 : std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
        if (!with_it || head.broken) continue;
        head.broken = true;
        if (observer_ != nullptr) observer_->broke(other, head.launch, now_ns_);
      }
    }
  }
}

}  // namespace

bool Outcome::hung() const {
  return std::find(finished_ns.begin(), finished_ns.end(), kNever) != finished_ns.end();
}

Outcome play(const Job& job, Observer* observer) { return Engine(job, observer).run(); }

}  // namespace lockstep::simulate
