#include "test/drivers/simulate/recording.h"

#include <algorithm>

namespace lockstep::simulate {
namespace {

constexpr int64_t kInitNs = -400'000'000, kRoundNs = 100'000'000, kFinalizeNs = 5'000'000,
                  kPollNs = 2'000;
constexpr int64_t kWatchdogNs = 10'000'000'000;  // how long a hung job stands before somebody looks

// Numbers of the string table.
enum Text : uint16_t {
  kFloat16 = kFirstString,
  kInt8,
  kRing,
  kSimple,
  kTree,
  kFirstFunction,
  kFirstName = kFirstFunction + kFunctions,
};

class Strings : public dumper::StringSource {
 public:
  std::string_view text(unsigned number) const override {
    if (number >= kFirstName) return kCommunicatorNames[number - kFirstName];
    if (number >= kFirstFunction) return kFunctionNames[number - kFirstFunction];
    constexpr const char* kOthers[] = {"ncclFloat16", "ncclInt8", "RING", "SIMPLE", "TREE"};
    return kOthers[number - kFirstString];
  }
};

uint16_t function_text(Function function) {
  return static_cast<uint16_t>(kFirstFunction + static_cast<unsigned>(function));
}

uint16_t name_text(const Communicator& communicator) {
  unsigned axis = 0;
  while (kCommunicatorNames[axis] != communicator.name) ++axis;
  return static_cast<uint16_t>(kFirstName + axis);
}

// When the keeper last took its anchor, and the dump thread wrote.
int64_t last_round(int64_t at_ns) { return at_ns - (at_ns - kInitNs) % kRoundNs; }

// What the user passes as count, of float16: a rank's own share where the whole is gathered.
uint64_t api_count(const Part& part, size_t ranks) {
  const bool share =
      part.function == Function::AllGather || part.function == Function::ReduceScatter;
  return part.bytes / 2 / (share ? ranks : 1);
}

}  // namespace

Recording::Recording(const Layout& layout, const Faults& faults, const Random& random,
                     const RunOptions& options, uint32_t events)
    : layout_(layout),
      faults_(faults),
      random_(random),
      options_(options),
      events_(events),
      ranks_(static_cast<size_t>(layout.options.ranks), Rank(&room_)) {
  for (int host = 0; host < layout.hosts; ++host) clocks_.emplace_back(host, random);
  for (int number = 0; number < layout.options.ranks; ++number) begin_rank(number);
}

void Recording::begin_rank(int number) {
  Rank& self = rank(number);
  int64_t at_ns = kInitNs;
  for (const Member& member : layout_.members[static_cast<size_t>(number)]) {
    if (member.communicator == kNoCommunicator) continue;
    const Communicator& communicator = layout_.communicators[member.communicator];
    CommInitRecord record;
    record.comm = layout_.number_in(number, member.communicator);
    record.comm_id = communicator.id;
    record.name = options_.unnamed ? uint16_t{0} : name_text(communicator);
    record.rank = static_cast<uint32_t>(member.rank);
    record.ranks = static_cast<uint32_t>(communicator.ranks.size());
    record.nodes = static_cast<uint32_t>(communicator.nodes);
    record.abi_version = 6;
    at_ns += 50'000'000 + static_cast<int64_t>(random_.below(200'000, Draw::Choice, record.comm,
                                                             static_cast<uint64_t>(number), 7));
    self.user.communicator(ticks(number, at_ns), record);
    self.proxies.emplace_back(&room_);
    self.proxy_serials.push_back((record.comm + uint64_t{1}) << 32);
  }
  self.sequences.resize(self.proxies.size() * kFunctions);
}

void Recording::api_call(const Launch& launch, const Part& part, EventId id, EventId group,
                         uint64_t start, uint64_t stop) {
  ThreadRecords& user = rank(launch.rank).user;
  const uint64_t stream = 0x7f1200000000 + uint64_t{launch.stream} * 0x1000;
  const size_t ranks = layout_.communicators[part.communicator].ranks.size();
  const auto fill = [&](auto record) {
    record.count = api_count(part, ranks);
    record.func = function_text(part.function);
    record.datatype = kFloat16;
    record.stream = stream;
    user.start(start, id, group, record);
  };
  if (is_p2p(part.function)) {
    fill(P2pApiRecord());
  } else {
    CollApiRecord record;
    record.root = is_rooted(part.function) ? part.peer : 0;
    fill(record);
  }
  user.stop(stop, id);
}

void Recording::operation(const Launch& launch, const Part& part, EventId id, EventId api,
                          EventId group, uint64_t start) {
  Rank& self = rank(launch.rank);
  const uint32_t number = comm_of(id);
  const size_t ranks = layout_.communicators[part.communicator].ranks.size();
  const auto fill = [&](auto record) {
    record.event_rank = layout_.rank_in(launch.rank, part.communicator);
    record.channels = static_cast<uint8_t>(layout_.channels());
    record.parent_group = group;
    record.count = api_count(part, ranks);
    record.func = function_text(part.function);
    record.datatype = kFloat16;
    return record;
  };
  if (is_p2p(part.function)) {
    P2pRecord record = fill(P2pRecord());
    record.peer = part.peer;
    record.buff = 0x7f3000000000;
    return self.user.start(start, id, api, record);
  }
  CollRecord record = fill(CollRecord());
  if (part.function == Function::AllGather) {  // NCCL counts it in bytes here
    record.count *= 2;
    record.datatype = kInt8;
  }
  record.warps = 16;
  record.root = is_rooted(part.function) ? part.peer : 0;
  record.seq_number =
      self.sequences[(number - 1) * kFunctions + static_cast<size_t>(part.function)]++;
  record.send_buff = 0x7f3000000000;
  record.recv_buff = 0x7f3040000000;
  record.algo = goes_by_tree(part, layout_) ? kTree : kRing;
  record.proto = kSimple;
  self.user.start(start, id, api, record);
}

// The order of calls is that of one launch outside or inside a group.
uint64_t Recording::launched(const Launch& launch) {
  Rank& self = rank(launch.rank);
  const uint32_t number = layout_.number_in(launch.rank, launch.parts[0].communicator);
  const bool p2p = is_p2p(launch.parts[0].function);
  const uint64_t count = launch.count, first = self.user_serial;
  self.user_serial += 2 * count + 3;
  const auto id = [&](Kind kind, uint64_t place) {
    return make_event_id(kind, number, first + place);
  };
  const EventId api_group = id(Kind::GroupApi, 0), kernel = id(Kind::KernelLaunch, count + 1),
                group = id(Kind::Group, count + 2);
  const auto api = [&](uint64_t i) { return id(p2p ? Kind::P2pApi : Kind::CollApi, 1 + i); };
  const auto own = [&](uint64_t i) { return id(p2p ? Kind::P2p : Kind::Coll, count + 3 + i); };
  // Parts of the time it took.
  const auto at = [&](double part) {
    const auto whole = static_cast<double>(launch.returned_ns - launch.called_ns);
    return ticks(launch.rank, launch.called_ns + static_cast<int64_t>(part * whole));
  };
  const auto share = [&](double from, double to, uint64_t i) {
    return at(from + (to - from) * static_cast<double>(i) / static_cast<double>(count));
  };
  ThreadRecords& user = self.user;
  if (records(Kind::GroupApi)) {
    GroupApiRecord record;
    record.depth = launch.grouped ? 2 : 1;
    user.start(at(0), api_group, 0, record);
    user.state(at(0.01), api_group, kGroupStartApiStop);
  }
  for (uint64_t i = 0; i < count; ++i) {
    if (records(p2p ? Kind::P2pApi : Kind::CollApi))
      api_call(launch, launch.parts[i], api(i), api_group, share(0.02, 0.2, i),
               share(0.02, 0.2, i + 1));
  }
  if (records(Kind::GroupApi)) user.state(at(0.21), api_group, kGroupEndApiStart);
  if (has_calls_only(launch.parts[0].function)) {
    if (records(Kind::GroupApi)) user.stop(at(0.3), api_group);
    self.launches.push_back({0, 0, number, launch.step, 0});
    return self.launches.size() - 1;
  }
  if (records(Kind::KernelLaunch)) {
    KernelLaunchRecord record;
    record.stream = 0x7f1200000000 + uint64_t{launch.stream} * 0x1000;
    user.start(at(0.4), kernel, api_group, record);
    user.stop(at(0.8), kernel);
  }
  if (records(Kind::Group)) user.start(at(0.82), group, 0, GroupRecord());
  for (uint64_t i = 0; i < count; ++i) {
    if (records(p2p ? Kind::P2p : Kind::Coll))
      operation(launch, launch.parts[i], own(i), api(i), group, share(0.83, 0.9, i));
  }
  for (uint64_t i = 0; i < count; ++i) {
    if (records(p2p ? Kind::P2p : Kind::Coll)) user.stop(share(0.92, 0.97, i), own(i));
  }
  if (records(Kind::Group)) user.stop(at(0.97), group);
  if (records(Kind::GroupApi)) user.stop(at(0.99), api_group);
  self.launches.push_back({own(0), launch.count, number, launch.step, 0});
  return self.launches.size() - 1;
}

// When the proxy thread, which polls, sees what happened on the GPU.
uint64_t Recording::seen_ticks(int number, const Launched& launched, int64_t at_ns) const {
  const auto place = static_cast<uint64_t>(at_ns);
  const auto poll_ns = static_cast<int64_t>(
      random_.below(kPollNs, Draw::Poll, static_cast<uint64_t>(number), place));
  const double slow = faults_.proxy_factor(number, launched.step);
  return ticks(number, at_ns + 500 + static_cast<int64_t>(slow * static_cast<double>(poll_ns)));
}

void Recording::kernel_began(int number, uint64_t launch, int64_t at_ns) {
  if (!records(Kind::KernelCh)) return;
  Rank& self = rank(number);
  Launched& launched = self.launches[launch];
  const uint32_t comm = launched.communicator;
  uint64_t& serial = self.proxy_serials[comm - 1];
  launched.first_kernel = make_event_id(Kind::KernelCh, comm, serial);
  const uint64_t seen = seen_ticks(number, launched, at_ns);
  const uint64_t stamp = clock(number).gpu_ns(at_ns, number % layout_.options.gpus_per_host);
  for (uint32_t part = 0; part < launched.parts; ++part) {
    const EventId parent = launched.first_operation + (uint64_t{part} << kSerialShift);
    for (unsigned channel = 0; channel < layout_.channels(); ++channel) {
      KernelChRecord record;
      record.channel = static_cast<uint8_t>(channel);
      record.p_timer = stamp + channel * 32;
      self.proxies[comm - 1].start(seen + 100 * channel,
                                   make_event_id(Kind::KernelCh, comm, serial++), parent, record);
    }
  }
}

void Recording::kernel_ended(int number, uint64_t launch, int64_t at_ns) {
  if (!records(Kind::KernelCh)) return;
  Rank& self = rank(number);
  const Launched& launched = self.launches[launch];
  ThreadRecords& proxy = self.proxies[launched.communicator - 1];
  const uint64_t seen = seen_ticks(number, launched, at_ns);
  const uint64_t stamp = clock(number).gpu_ns(at_ns, number % layout_.options.gpus_per_host);
  const unsigned channels = layout_.channels();
  for (uint64_t i = 0; i < launched.parts * channels; ++i) {
    const EventId id = launched.first_kernel + (i << kSerialShift);
    proxy.state(seen + 100 * i, id, kKernelChStop, stamp + i % channels * 32);
    proxy.stop(seen + 100 * i + 40, id);
  }
}

EdgeEnd Recording::edge_end(const Meeting& meeting, size_t self, size_t peer, Progress progress) {
  const MeetingMember& member = meeting.members[self];
  Rank& records = rank(member.rank);
  const Launched& launched = records.launches[member.launch];
  const uint32_t number = launched.communicator;
  EdgeEnd end;
  end.clock = &clock(member.rank);
  end.records = &records.proxies[number - 1];
  end.serial = &records.proxy_serials[number - 1];
  end.comm = number;
  end.operation = launched.first_operation + (uint64_t{member.part} << kSerialShift);
  const bool pair = is_p2p(meeting.part.function);
  const auto& ranks = layout_.communicators[meeting.part.communicator].ranks;
  const auto rank_of = [&](size_t index) {
    if (!pair) return static_cast<int32_t>(index);
    const auto found = std::find(ranks.begin(), ranks.end(), meeting.members[index].rank);
    // One that has not called is the peer that the other named.
    return found != ranks.end() ? static_cast<int32_t>(found - ranks.begin()) : meeting.part.peer;
  };
  end.rank = rank_of(self);
  end.peer = rank_of(peer);
  end.pid = pid_of(member.rank);
  end.posted_ns = member.called_ns + kPostNs;
  end.with_steps = this->records(Kind::ProxyStep);
  end.queued = progress == Progress::Queued;
  return end;
}

void Recording::moved(const Meeting& meeting, const Transfer& transfer, Progress progress) {
  if (!records(Kind::ProxyOp) || has_calls_only(meeting.part.function)) return;
  for (const Flow& flow : transfer.flows) {
    for (size_t edge = 0; edge < flow.hops.size(); ++edge) {
      if (flow.over_network[edge] == 0) continue;
      const auto [from, to] = flow.hops[edge];
      const StepTimes* const steps = &flow.times.at(edge, 0);
      const uint32_t number = flow.times.steps;
      if (happens(meeting.members[to].called_ns)) {
        record_receives(edge_end(meeting, to, from, progress), steps, number, flow.step_bytes,
                        flow.channels);
      }
      if (happens(meeting.members[from].called_ns)) {
        record_sends(edge_end(meeting, from, to, progress), steps, number, flow.step_bytes,
                     flow.channels);
      }
    }
  }
}

// Nothing later than this launch's has moved on its communicator.
void Recording::broke(int number, uint64_t launch, int64_t at_ns) {
  Rank& self = rank(number);
  self.proxies[self.launches[launch].communicator - 1].cut(ticks(number, at_ns));
}

void Recording::died(int number, int64_t at_ns) { rank(number).died_ns = at_ns; }

ProcessRecords Recording::process_of(int number) const {
  ProcessRecords process;
  dumper::ProcessFacts& facts = process.facts;
  const int host = layout_.host_of(number);
  facts.host = host_name(host);
  facts.boot_id = "boot of " + facts.host;
  facts.pid = pid_of(number);
  facts.process_start = 100'000 + static_cast<uint64_t>(number);
  facts.command = "lockstep-simulate";
  facts.abi_version = 6;
  facts.activation_mask = events_;
  facts.nccl_library = "nccl";
  facts.nccl_version = 23007;
  facts.driver_version = "580.65.06";
  facts.tick_source = "raw";
  facts.job = {{"SLURM_JOB_ID", std::to_string(1'000 + options_.seed % 1'000'000)},
               {"SLURM_PROCID", std::to_string(number)}};
  facts.options = {{"LOCKSTEP_EVENTS", options_.events, "env"},
                   {"LOCKSTEP_DUMP_INTERVAL_US", std::to_string(kRoundNs / 1'000), "env"}};
  process.uid = random_.bits(Draw::Choice, static_cast<uint64_t>(number), 0x1d);
  process.created_real_ns = clock(number).real_ns(kInitNs);
  return process;
}

// The keeper's while there are records, and its last one.
std::vector<Anchor> Recording::anchors(int number, int64_t last_ns, int64_t end_ns) const {
  std::vector<Anchor> made;
  for (int64_t at_ns = kInitNs; at_ns < std::min(end_ns, last_ns + kRoundNs); at_ns += kRoundNs)
    made.push_back(clock(number).anchor(at_ns));
  made.push_back(clock(number).anchor(end_ns));
  return made;
}

// With its host: what had not reached the disk is gone.
bool Recording::lost(int number) const {
  const auto& faults = faults_.all();
  return std::any_of(faults.begin(), faults.end(), [number](const Fault& fault) {
    return fault.info->harm == Harm::Dies && fault.info->scope == Scope::Host && fault.hits(number);
  });
}

Status Recording::write_rank(int number, const Outcome& outcome, int64_t look_ns,
                             ProcessFileWriter* files, RecordedCounts* counts) {
  Rank& self = rank(number);
  ProcessRecords process = process_of(number);
  int64_t end_ns = look_ns;    // of its records
  int64_t heard_ns = look_ns;  // its last anchor
  if (outcome.hung()) {
    const bool died = happens(self.died_ns);
    process.end = died && lost(number) ? ProcessEnd::Running
                  : died               ? ProcessEnd::Recovered
                                       : options_.hung_end;
    end_ns = std::min(self.died_ns, look_ns);
    if (died && lost(number)) end_ns = last_round(end_ns);
    // Who still runs wrote nothing in the rounds after its last record.
    heard_ns = last_round(process.end == ProcessEnd::Running && !died
                              ? std::min(outcome.end_ns + kRoundNs, look_ns)
                              : end_ns);
  } else {
    const int64_t at_ns = outcome.end_ns + kFinalizeNs;
    for (uint32_t comm = 1; comm <= self.proxies.size(); ++comm) {
      CommFinalizeRecord record;
      record.comm = comm;
      self.user.communicator(ticks(number, at_ns + comm * 100'000), record);
    }
  }
  const uint64_t last_ticks = ticks(number, end_ns);
  process.threads.push_back({process.facts.pid, "python", &self.user.until(last_ticks)});
  for (uint32_t i = 0; i < self.proxies.size(); ++i) {
    const std::vector<uint64_t>& words = self.proxies[i].until(last_ticks);
    if (!words.empty())
      process.threads.push_back({process.facts.pid + 1'000'000 * (i + 1), "NCCL Progress", &words});
  }
  process.anchors = anchors(number, outcome.end_ns, heard_ns);
  ++counts->processes;
  counts->communicators += self.proxies.size();
  return files->write(process, &counts->calls);
}

Status Recording::write(const std::string& directory, const Outcome& outcome,
                        RecordedCounts* counts) {
  const Strings strings;
  ProcessFileWriter files(directory, strings);
  const int64_t look_ns = outcome.end_ns + (outcome.hung() ? kWatchdogNs : 3 * kFinalizeNs);
  for (int number = 0; number < layout_.options.ranks; ++number) {
    const Status status = write_rank(number, outcome, look_ns, &files, counts);
    if (!status.ok()) return status;
    rank(number) = Rank(&room_);  // not needed any more
  }
  if (layout_.hosts == 1 || !options_.aligned) return Status();
  return save_clock_model(layout_, random_, look_ns, directory);
}

}  // namespace lockstep::simulate
