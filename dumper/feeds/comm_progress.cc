#include "dumper/feeds/comm_progress.h"

#include <algorithm>
#include <limits>

#include "dumper/feeds/quiet_times.h"
#include "lockstep/kind_mask.h"
#include "lockstep/message_size.h"
#include "lockstep/record_fields.h"

namespace lockstep::dumper {
namespace {

constexpr uint64_t kNoFactsNs = 60000 * kMs;  // late events of a communicator that is gone

// Of a round's calls and launches, some 5,000 of each. Beyond that they are applied as they came.
constexpr size_t kMostHeldBytes = size_t{1} << 20;
constexpr uint64_t kAll = std::numeric_limits<uint64_t>::max();  // ticks

constexpr unsigned kPlaceBits = 14;
constexpr uint32_t kMostOpen = 1u << kPlaceBits;  // 2.5 MB
// One less than fit beside the place, so that no value is IdMap::kNone.
constexpr uint32_t kGenerations = (1u << (32 - kPlaceBits)) - 1;
constexpr size_t kMostChildren = size_t{64} * 1024, kMostCaptured = size_t{16} * 1024;

// Calls and launches are numbered in the order of their times. Of kernel channels and network
// operations the order does not matter.
enum class Use : uint8_t { None, AtOnce, InOrder };
constexpr Use use_of(Tag tag) {
  if (is_comm(tag)) return Use::InOrder;
  if (is_state(tag) || is_mark(tag)) return Use::None;
  switch (static_cast<Kind>(tag & 15u)) {
    case Kind::Coll:
    case Kind::P2p:
    case Kind::CollApi:
    case Kind::P2pApi:
    case Kind::GroupApi:
      return Use::InOrder;
    case Kind::KernelCh:
    case Kind::ProxyOp:
      return Use::AtOnce;
    default:
      return Use::None;
  }
}

struct TagTable {
  Use use[kTags] = {};
};
constexpr TagTable make_table() {
  TagTable table;
  for (unsigned tag = 0; tag < kTags; ++tag) table.use[tag] = use_of(static_cast<Tag>(tag));
  return table;
}
constexpr TagTable kTable = make_table();

}  // namespace

void CommProgress::take(const Piece& piece, const StringSource& strings) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for_each_record(piece, [&](const uint64_t* words, Tag tag) {
    if (tag < kCommInitTag)
      round_bytes_[static_cast<unsigned>(kind_of(words[1]))] +=
          uint64_t{kRecordShapes[tag].words} * 8;
    if (kTable.use[tag] == Use::AtOnce) apply(words, tag, strings);
    if (kTable.use[tag] == Use::InOrder) held_.add(words, kRecordShapes[tag].words);
  });
  if (held_.held_bytes() <= kMostHeldBytes) return;
  apply_held(kAll, strings);
  for (auto& [number, comm] : comms_) comm.ordinals.expect_disorder();
}

void CommProgress::apply_held(uint64_t complete_ticks, const StringSource& strings) {
  held_.release(complete_ticks, [&](const uint64_t* words) {
    const Tag tag = tag_of(words[0]);
    is_comm(tag) ? apply_comm(words, strings) : apply(words, tag, strings);
  });
}

void CommProgress::apply(const uint64_t* words, Tag tag, const StringSource& strings) {
  switch (tag) {
    case start_tag(Kind::CollApi):
      count_call(comm_of(EventRecord::read(words).id), ticks_of(words[0]));
      return start_call(CollApiRecord::read(words), ticks_of(words[0]));
    case start_tag(Kind::P2pApi):
      return start_call(P2pApiRecord::read(words), ticks_of(words[0]));
    case start_tag(Kind::Coll):
      return start_coll(words, strings);
    case start_tag(Kind::P2p):
      return start_p2p(words, strings);
    case start_tag(Kind::GroupApi):
      return open_groups_.set(EventRecord::read(words).id, 1);
    case start_tag(Kind::KernelCh):
    case start_tag(Kind::ProxyOp):
      return start_child(words, tag == start_tag(Kind::KernelCh));
    default:
      return stop(EventRecord::read(words).id, ticks_of(words[0]));
  }
}

void CommProgress::apply_comm(const uint64_t* words, const StringSource& strings) {
  const auto number = static_cast<uint32_t>(CommRecord::read(words).comm & kLastComm);
  LiveComms known;
  LiveComms::Names names;
  const unsigned name = LiveComms::name_in(words);
  if (name >= kFirstString) names.emplace_back(name, std::string(strings.text(name)));
  known.apply(words, names);
  const CommFacts& said = known.all().begin()->second;
  Comm& comm = comms_[number];
  comm.last_ticks = std::max(comm.last_ticks, ticks_of(words[0]));
  CommFacts& facts = comm.standing.facts;
  facts.comm = number;
  switch (tag_of(words[0])) {
    case kCommInitTag:
      facts = said;
      break;
    case kCommFinalizeTag:
      facts.finalize_ticks = said.finalize_ticks;
      break;
    default:
      facts.id = said.id;
      facts.name = said.name;
  }
}

void CommProgress::Open::take_call(const Open& other) {
  call = other.call;
  group = other.group;
  mark = other.mark;
  call_stop_ticks = other.call_stop_ticks;
  call_seen = other.call_seen;
  p2p = other.p2p;
}

uint32_t CommProgress::value_of(const Open* op) const {
  return op->generation << kPlaceBits | static_cast<uint32_t>(op - open_.data());
}

CommProgress::Open* CommProgress::open_of(uint32_t value) {
  if (value == IdMap::kNone) return nullptr;
  const uint32_t place = value & (kMostOpen - 1);
  if (place >= open_.size()) return nullptr;
  Open& op = open_[place];
  return op.used && op.generation == value >> kPlaceBits ? &op : nullptr;
}

CommProgress::Open* CommProgress::add_open(uint32_t comm, uint64_t ticks) {
  if (free_.empty() && open_.size() >= kMostOpen) make_room();
  if (free_.empty()) {
    open_.emplace_back();
    free_.push_back(static_cast<uint32_t>(open_.size() - 1));
  }
  Open& op = open_[free_.back()];
  free_.pop_back();
  const uint32_t generation = (op.generation + 1) % kGenerations;
  op = Open{};
  op.used = true;
  op.generation = generation;
  op.comm = comm;
  op.mark.ticks = op.last_ticks = ticks;
  return &op;
}

// The oldest tenth goes at once, so that the search for it stays rare.
void CommProgress::make_room() {
  std::vector<std::pair<uint64_t, uint32_t>> by_age;
  by_age.reserve(open_.size());
  for (uint32_t i = 0; i < open_.size(); ++i) by_age.emplace_back(open_[i].last_ticks, i);
  const auto leave = static_cast<ptrdiff_t>(by_age.size() / 10);
  std::nth_element(by_age.begin(), by_age.begin() + leave, by_age.end());
  for (ptrdiff_t i = 0; i < leave; ++i) forget(&open_[by_age[static_cast<size_t>(i)].second]);
  not_followed_ += static_cast<uint64_t>(leave);
}

void CommProgress::note_issued(Open* op) {
  Comm& comm = comms_[op->comm];
  comm.last_ticks = std::max(comm.last_ticks, op->last_ticks);
  OperationMark& issued = comm.standing.issued;
  if (op->mark.ticks >= issued.ticks) issued = op->mark;
}

void CommProgress::note_started(const Open& op) {
  OperationMark& started = comms_[op.comm].standing.started;
  if (op.started_ticks < started.ticks) return;
  started = op.mark;
  started.ticks = op.started_ticks;
}

void CommProgress::note_launched(Open* op) {
  note_issued(op);
  if (op->started_ticks != 0) note_started(*op);
}

void CommProgress::count_call(uint32_t comm, uint64_t ticks) {
  ++comms_[comm].standing.position;
  if (comm == call_count_.comm && ticks < call_count_.before_ticks) ++call_count_.calls;
}

void CommProgress::count_calls_before(uint32_t comm, uint64_t ticks) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = comms_.find(comm);
  call_count_ = {comm, ticks, found == comms_.end() ? 0 : found->second.standing.position};
}

std::optional<uint64_t> CommProgress::calls_before() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (complete_ticks_ < call_count_.before_ticks) return std::nullopt;
  return call_count_.calls;
}

// A collective's place is that of its call; a send's or receive's peer is known only when NCCL takes
// it up.
template <typename Record>
void CommProgress::start_call(const Record& call, uint64_t ticks) {
  if (Open* launched = open_of(calls_.find(call.id))) {  // its launch was drained first
    launched->call_seen = true;
    launched->group = call.parent;
    return;
  }
  Open* op = add_open(comm_of(call.id), ticks);
  op->call = call.id;
  op->group = call.parent;
  op->mark.func = call.func;
  op->p2p = kind_of(call.id) == Kind::P2pApi;
  op->call_seen = true;
  OperationOrdinals& ordinals = comms_[op->comm].ordinals;
  if (op->p2p)
    op->mark.collectives = ordinals.collectives();
  else
    ordinals.number_collective(&op->mark);
  calls_.set(call.id, value_of(op));
  note_issued(op);
  if (call.graph_captured && captured_.size() < kMostCaptured)
    captured_[call.id] = {op->mark, false};
}

// A captured call is launched once for each replay of its graph; all launches share its ordinal.
CommProgress::Open* CommProgress::replayed(EventId launch, EventId call, uint64_t ticks) {
  const auto found = captured_.find(call);
  if (found == captured_.end()) return nullptr;
  Comm& comm = comms_[comm_of(launch)];
  Captured& captured = found->second;
  if (kind_of(launch) == Kind::Coll) comm.ordinals.replay(captured.mark, captured.launched);
  Open* first = captured.launched ? nullptr : open_of(calls_.find(call));
  captured.launched = true;
  if (first != nullptr) return first;
  Open* op = add_open(comm_of(launch), ticks);
  op->mark = captured.mark;
  op->mark.ticks = ticks;
  op->mark.collectives = comm.ordinals.collectives();
  op->call_seen = true;
  return op;
}

// The operation whose launch event this is: the call's, a replay's, or one whose call was not seen
// (then its ordinal is still -1).
CommProgress::Open* CommProgress::launched(EventId launch, EventId call, uint64_t ticks) {
  Open* op = open_of(calls_.find(call));
  if (op == nullptr || captured_.count(call) != 0) op = replayed(launch, call, ticks);
  OperationMark of_call;  // that has a launch already
  if (op != nullptr && op->launch != 0 && op->launch != launch) {
    if (kind_of(launch) == Kind::P2p && !op->p2p) of_call = op->mark;
    op = nullptr;
  }
  Open* early = open_of(launches_.find(launch));  // a child came first
  if (early != nullptr && op != nullptr) {
    early->take_call(*op);
    calls_.set(call, value_of(early));
    op->call = 0;
    forget(op);
  }
  if (early != nullptr) op = early;
  if (op == nullptr) op = add_open(comm_of(launch), ticks);
  if (of_call.ordinal >= 0) op->mark = of_call;
  op->launch = launch;
  launches_.set(launch, value_of(op));
  if (op->call == 0 && call != 0 && captured_.count(call) == 0) {
    op->call = call;
    calls_.set(call, value_of(op));
  }
  if (op->mark.func == 0) op->mark.ticks = ticks;  // the child's until now
  op->last_ticks = std::max(op->last_ticks, ticks);
  const uint32_t kinds = kinds_.load(std::memory_order_relaxed);
  op->wants_kernel = (kinds & kind_bit(Kind::KernelCh)) != 0;
  op->wants_network = (kinds & kind_bit(Kind::ProxyOp)) != 0;
  return op;
}

void CommProgress::start_coll(const uint64_t* words, const StringSource& strings) {
  const auto coll = CollRecord::read(words);
  Open* op = launched(coll.id, coll.parent, ticks_of(words[0]));
  op->channels = coll.channels;
  op->mark.func = coll.func;
  op->bytes = coll.count * datatype_bytes(strings.text(coll.datatype));
  if (spans_ranks(strings.text(coll.func))) op->bytes *= comms_[op->comm].standing.facts.ranks;
  OperationOrdinals& ordinals = comms_[op->comm].ordinals;
  if (op->mark.ordinal < 0) ordinals.number_collective(&op->mark);
  ordinals.correct(&op->mark, coll.seq_number);
  note_launched(op);
}

void CommProgress::start_p2p(const uint64_t* words, const StringSource& strings) {
  const auto p2p = P2pRecord::read(words);
  Open* op = launched(p2p.id, p2p.parent, ticks_of(words[0]));
  op->channels = p2p.channels;
  op->bytes = p2p.count * datatype_bytes(strings.text(p2p.datatype));
  op->to_itself = p2p.peer == p2p.event_rank;
  if (op->mark.ordinal < 0) {  // else a collective's that NCCL does by sends and receives
    op->p2p = true;
    op->mark.func = p2p.func;
    op->mark.peer = p2p.peer;
    comms_[op->comm].ordinals.number_p2p(&op->mark);
    const auto captured = captured_.find(p2p.parent);
    if (captured != captured_.end()) captured->second.mark = op->mark;
  }
  note_launched(op);
}

void CommProgress::start_child(const uint64_t* words, bool kernel) {
  const auto start = StartRecord::read(words);
  const EventId parent = start.parent;
  // Under PXN the parent is another process's id; such an operation has no communicator of ours.
  if (comm_of(start.id) == kUnknownComm || is_unrecorded(parent) || serial_of(parent) == 0 ||
      (kind_of(parent) != Kind::Coll && kind_of(parent) != Kind::P2p))
    return;
  const uint64_t ticks = ticks_of(words[0]);
  Open* op = open_of(launches_.find(parent));
  if (op == nullptr) {  // its start is in a block that was not drained yet, or it has ended
    op = add_open(comm_of(parent), ticks);
    op->launch = parent;
    launches_.set(parent, value_of(op));
  }
  if (children_.size() >= kMostChildren) children_.clear();
  children_.set(start.id, value_of(op));
  ++(kernel ? op->kernels : op->network);
  ++(kernel ? op->open_kernels : op->open_network);
  op->last_ticks = std::max(op->last_ticks, ticks);
  if (op->started_ticks == 0 || ticks < op->started_ticks) op->started_ticks = ticks;
  if (op->mark.func != 0) note_started(*op);
}

void CommProgress::stop(EventId id, uint64_t ticks) {
  switch (kind_of(id)) {
    case Kind::GroupApi:
      return open_groups_.erase(id);
    case Kind::CollApi:
    case Kind::P2pApi:
      // NCCL may stop an old handle again: the first stop counts.
      if (Open* op = open_of(calls_.find(id)); op != nullptr && op->call_stop_ticks == 0) {
        op->call_stop_ticks = ticks;
        op->last_ticks = std::max(op->last_ticks, ticks);
      }
      return;
    case Kind::Coll:
    case Kind::P2p:
      if (Open* op = open_of(launches_.find(id))) {
        op->launch_stop_ticks = ticks;
        op->last_ticks = std::max(op->last_ticks, ticks);
        if (ends_now(*op)) end(op);
      }
      return;
    default:
      return stop_child(id, ticks);
  }
}

void CommProgress::stop_child(EventId id, uint64_t ticks) {
  Open* op = open_of(children_.find(id));
  children_.erase(id);
  if (op == nullptr) return;
  uint32_t& open = kind_of(id) == Kind::KernelCh ? op->open_kernels : op->open_network;
  if (open != 0) --open;
  op->last_ticks = std::max(op->last_ticks, ticks);
  if (ends_now(*op)) end(op);
}

// Its kernel is through on all channels: whatever the network says, the data is where it should be.
// Only where nothing about it can come any more but late network operations.
bool CommProgress::ends_now(const Open& op) {
  return op.mark.func != 0 && op.launch_stop_ticks != 0 && (op.call_seen || op.call == 0) &&
         op.open_kernels == 0 && op.channels != 0 && op.kernels >= op.channels;
}

// Once every record about it that is older than `quiet_ns` has been given.
bool CommProgress::ends_settled(const Open& op, uint64_t quiet_ns) {
  if (op.open_kernels != 0) return false;
  if (op.channels != 0 && op.kernels >= op.channels) return true;
  if (op.launch_stop_ticks == 0 || op.open_network != 0) return false;
  if (op.to_itself) return true;  // neither kernel nor network
  if (op.wants_kernel) {
    if (op.channels == 0 && op.kernels != 0) return quiet_ns > kLastChannelNs;
    return op.network != 0 && quiet_ns > kNoKernelNs;
  }
  return op.network != 0 && quiet_ns > kLastChannelNs;
}

// It is not in flight, and nothing tells when it ended, or whether.
bool CommProgress::leaves_unseen(const Open& op, uint64_t quiet_ns) {
  const Comm& comm = comms_[op.comm];
  if (comm.standing.facts.finalize_ticks != 0) return true;
  if (op.mark.func == 0) return quiet_ns > kNoKernelNs;  // a child of what ended before
  if (op.launch == 0) {
    // NCCL takes a call up before its group ends; some it serves without an operation.
    return op.call_stop_ticks != 0 && open_groups_.find(op.group) == IdMap::kNone;
  }
  if (op.launch_stop_ticks != 0 && !op.wants_kernel)
    return op.network == 0 && (!op.wants_network || quiet_ns > kNeverStopsNs);
  // Operations of a communicator end in their order, but for those of one group.
  return quiet_ns > kNeverStopsNs && comm.last_ended_issued_ticks > op.mark.ticks;
}

void CommProgress::end(Open* op) {
  Comm& comm = comms_[op->comm];
  comm.last_ended_issued_ticks = std::max(comm.last_ended_issued_ticks, op->mark.ticks);
  ++comm.standing.ended_operations;
  comm.standing.ended_bytes += op->bytes;
  OperationMark& ended = comm.standing.ended;
  if (op->last_ticks >= ended.ticks) {
    ended = op->mark;
    ended.ticks = op->last_ticks;
  }
  forget(op);
}

// Children that are still open find another generation in its place.
void CommProgress::forget(Open* op) {
  launches_.erase(op->launch);
  calls_.erase(op->call);
  op->used = false;
  free_.push_back(static_cast<uint32_t>(op - open_.data()));
}

void CommProgress::settle_operations(uint64_t complete_ticks, double ns_per_tick) {
  for (Open& op : open_) {
    if (!op.used || op.last_ticks >= complete_ticks) continue;
    const auto quiet_ns =
        static_cast<uint64_t>(static_cast<double>(complete_ticks - op.last_ticks) * ns_per_tick);
    if (op.mark.func != 0 && op.launch != 0 && ends_settled(op, quiet_ns))
      end(&op);
    else if (leaves_unseen(op, quiet_ns))
      forget(&op);
  }
}

void CommProgress::settle_comms(uint64_t complete_ticks, double ns_per_tick) {
  for (auto it = comms_.begin(); it != comms_.end();) {
    const Comm& comm = it->second;
    const CommFacts& facts = comm.standing.facts;
    const auto quiet_ns = complete_ticks > comm.last_ticks
                              ? static_cast<double>(complete_ticks - comm.last_ticks) * ns_per_tick
                              : 0;
    const bool gone = facts.finalize_ticks != 0 && facts.finalize_ticks < complete_ticks;
    const bool unknown = facts.abi_version == 0 && quiet_ns > static_cast<double>(kNoFactsNs);
    it = gone || unknown ? comms_.erase(it) : std::next(it);
  }
}

void CommProgress::end_round(const Round& round) {
  const std::lock_guard<std::mutex> lock(mutex_);
  apply_held(round.final ? kAll : round.complete_ticks, *round.strings);
  complete_ticks_ = round.complete_ticks;
  for (size_t kind = 0; kind < round_bytes_.size(); ++kind) {
    std::atomic<uint64_t>& most = overhead_.most_waiting_bytes[kind];
    if (round_bytes_[kind] > most.load(std::memory_order_relaxed))
      most.store(round_bytes_[kind], std::memory_order_relaxed);
  }
  round_bytes_ = {};
  const double tick_ns = ns_per_tick(clock_of(round));
  settle_operations(round.complete_ticks, tick_ns);
  settle_comms(round.complete_ticks, tick_ns);
  if (open_groups_.size() > kMostChildren) open_groups_.clear();
  if (comms_.empty()) captured_.clear();
}

CommProgress::Snapshot CommProgress::snapshot() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::map<uint32_t, CommStanding> standings;
  for (const auto& [number, comm] : comms_) {
    const CommFacts& facts = comm.standing.facts;
    if (facts.abi_version != 0 && facts.finalize_ticks == 0) standings[number] = comm.standing;
  }
  for (const Open& op : open_) {
    const auto found = op.used && op.mark.func != 0 ? standings.find(op.comm) : standings.end();
    if (found == standings.end()) continue;
    CommStanding& standing = found->second;
    if (++standing.in_flight != 1 && standing.waiting.ticks <= op.mark.ticks) continue;
    standing.waiting = op.mark;
    standing.waiting_started = op.started_ticks;
    standing.waiting_kernels = op.open_kernels;
    standing.waiting_network = op.open_network;
  }
  Snapshot snapshot;
  for (auto& [number, standing] : standings) snapshot.comms.push_back(std::move(standing));
  snapshot.complete_ticks = complete_ticks_;
  snapshot.not_followed = not_followed_;
  return snapshot;
}

}  // namespace lockstep::dumper
