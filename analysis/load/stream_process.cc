#include "analysis/load/stream_process.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "analysis/join/step_times.h"
#include "analysis/relate/communicators.h"
#include "analysis/relate/run_clock.h"
#include "dumper/run/process_reader.h"
#include "lockstep/record_shape.h"

namespace lockstep::analysis {
namespace {

// Whether a row of a process of which only a part was asked for is not of that part.
bool left_out(const EventRow& event, const ProcessRow& process) {
  if (process.some_comms != 0 && event.communicator == kNoRow) return true;
  const auto run_ns = [&process](uint64_t raw_ns) {
    return static_cast<int64_t>(raw_ns) + process.raw_offset_ns;
  };
  const bool ended = event.stop_ns != kNoTime;
  return (ended && process.asked_from_raw_ns != 0 &&
          event.stop_ns < run_ns(process.asked_from_raw_ns)) ||
         (process.asked_to_raw_ns != ~uint64_t{0} &&
          event.start_ns > run_ns(process.asked_to_raw_ns));
}

// Events with their stops, network steps with their states. Rows leave as soon as they are complete,
// so memory is what is open at one time; what never stops comes last.
class DetailJoin {
 public:
  DetailJoin(const RunTables& run, const CommunicatorIndex& index, uint32_t process,
             DetailSink* sink)
      : run_(run), index_(index), process_(process), axis_(run, process), sink_(*sink) {}

  void take(const dumper::DecodedChunk& chunk) {
    for (const auto& [number, text] : chunk.strings) {
      if (number >= texts_.size()) texts_.resize(number + 1);
      texts_[number] = run_.strings.find(text);
    }
    for (size_t i = 0; i < chunk.pieces.size(); ++i) {
      const dumper::DecodedPiece& piece = chunk.pieces[i];
      tid_ = piece.tid;
      std::string& known = threads_[tid_];
      if (known != piece.thread_name) sink_.thread(tid_, known = piece.thread_name);
      const size_t end = chunk.end_of(i);
      for (size_t at = piece.first_word; at < end;) {
        const uint64_t* w = chunk.words.data() + at;
        const unsigned size = kRecordShapes[tag_of(w[0])].words;
        take(w, axis_.to_run_ns(static_cast<int64_t>(chunk.clock.raw_ns(ticks_of(w[0])))));
        at += size;
      }
    }
  }
  void finish() {
    for (auto& [id, open] : open_) {
      if (!left_out(open.row, run_.processes[process_])) emit(open);
    }
  }

 private:
  struct Open {
    EventRow row;
    StepTimes step;
    int32_t step_number = 0;
    uint64_t gpu_start = 0;  // the GPU's stamp; 0: none
  };
  struct ProxyOpFacts {
    uint64_t operation_id = 0;
    int32_t peer = -1;
    uint8_t channel = 0, is_send = 0;
  };

  Text text(uint64_t number) const { return number < texts_.size() ? texts_[number] : 0; }

  void take(const uint64_t* w, int64_t now_ns) {
    const Tag tag = tag_of(w[0]);
    if (is_start(tag)) return start(w, now_ns);
    if (!is_stop(tag) && !is_state(tag)) return;
    const auto found = open_.find(EventRecord::read(w).id);
    if (found == open_.end()) return;
    Open& open = found->second;
    if (is_state(tag)) {
      ++open.row.states;
      const auto state = static_cast<uint8_t>(tag - kStateTag);
      if (open.row.kind == static_cast<uint8_t>(Kind::ProxyStep)) {
        open.step.enter(
            state, state_has_argument(state) ? StateRecord::read(w).argument : kNoArgument, now_ns);
      }
      if (state == kKernelChStop || state == kKernelPhaseStop)
        end_on_gpu(StateRecord::read(w).argument, &open);
      return;
    }
    open.row.stop_ns = now_ns;
    open.step.leave(now_ns);
    if (left_out(open.row, run_.processes[process_])) {
      works_.erase(open.row.event_id);
    } else {
      emit(open);
    }
    open_.erase(found);
  }

  static void end_on_gpu(uint64_t gpu_stop, Open* open) {
    if (open->gpu_start != 0 && gpu_stop >= open->gpu_start)
      open->row.gpu_ns = static_cast<int64_t>(gpu_stop - open->gpu_start);
  }

  void start(const uint64_t* w, int64_t now_ns) {
    Open open;
    EventRow& row = open.row;
    const Kind kind = static_cast<Kind>(tag_of(w[0]));
    const auto common = StartRecord::read(w);
    row.event_id = common.id;
    row.parent_id = common.parent;
    row.start_ns = now_ns;
    row.process = process_;
    row.communicator = index_.find(process_, comm_of(row.event_id));
    row.tid = tid_;
    row.rank = common.event_rank;
    row.kind = static_cast<uint8_t>(kind);
    name(kind, w, &row);
    if (kind == Kind::KernelCh) open.gpu_start = KernelChRecord::read(w).p_timer;
    if (kind == Kind::KernelPhase) open.gpu_start = KernelPhaseRecord::read(w).p_timer;
    open.step.start(now_ns);
    if (kind == Kind::ProxyStep) open.step_number = ProxyStepRecord::read(w).step;
    if (kind == Kind::ProxyOp) {
      const auto op = ProxyOpRecord::read(w);
      row.peer = op.peer;
      row.channel = op.channel;
      row.is_send = op.is_send ? 1 : 0;
      works_[row.event_id] = {row.parent_id, op.peer, op.channel, row.is_send};
    }
    open_[row.event_id] = open;
  }

  void name(Kind kind, const uint64_t* w, EventRow* row) const {
    switch (kind) {
      case Kind::Coll:
        row->name = text(CollRecord::read(w).func);
        return;
      case Kind::P2p:
        row->name = text(P2pRecord::read(w).func);
        row->peer = P2pRecord::read(w).peer;
        return;
      case Kind::CollApi:
        row->name = text(CollApiRecord::read(w).func);
        return;
      case Kind::P2pApi:
        row->name = text(P2pApiRecord::read(w).func);
        return;
      case Kind::CeColl:
        row->name = text(CeCollRecord::read(w).func);
        return;
      case Kind::KernelCh:
        row->channel = KernelChRecord::read(w).channel;
        return;
      case Kind::KernelPhase:
        row->channel = KernelPhaseRecord::read(w).channel;
        row->name = text(KernelPhaseRecord::read(w).name);
        return;
      default:
        return;
    }
  }

  void emit(const Open& open) {
    sink_.event(open.row);
    if (open.row.kind == static_cast<uint8_t>(Kind::ProxyOp) && open.row.stop_ns != kNoTime) {
      works_.erase(open.row.event_id);
    }
    if (open.row.kind == static_cast<uint8_t>(Kind::ProxyStep)) emit_step(open);
  }

  void emit_step(const Open& open) {
    ProxyStepRow row;
    row.event_id = open.row.event_id;
    row.proxy_op_id = open.row.parent_id;
    row.start_ns = open.row.start_ns;
    row.stop_ns = open.row.stop_ns;
    row.size_bytes = open.step.size_bytes;
    row.process = process_;
    row.communicator = open.row.communicator;
    row.rank = open.row.rank;
    row.step = open.step_number;
    row.retries = open.step.retries;
    row.last_state = open.step.state;
    const auto work = works_.find(open.row.parent_id);
    if (work != works_.end()) {
      row.operation_id = work->second.operation_id;
      row.peer = work->second.peer;
      row.channel = work->second.channel;
      row.is_send = work->second.is_send;
    }
    const auto spent = [&](Stretch stretch) {
      const auto at = static_cast<unsigned>(stretch);
      return (open.step.seen >> at & 1) != 0 ? open.step.spent[at] : kNoTime;
    };
    row.gpu_wait_ns = spent(Stretch::GpuWait);
    row.peer_wait_ns = spent(Stretch::PeerWait);
    row.network_ns = spent(Stretch::Network);
    row.receive_wait_ns = spent(Stretch::ReceiveWait);
    row.flush_ns = spent(Stretch::Flush);
    sink_.proxy_step(row);
  }

  const RunTables& run_;
  const CommunicatorIndex& index_;
  uint32_t process_, tid_ = 0;
  HostAxis axis_;
  DetailSink& sink_;
  std::vector<Text> texts_;
  std::unordered_map<uint32_t, std::string> threads_;  // names by id
  std::unordered_map<uint64_t, Open> open_;
  std::unordered_map<uint64_t, ProxyOpFacts> works_;
};

// By the raw clock of the process's host.
struct RawSpan {
  uint64_t from_ns = 0, to_ns = ~uint64_t{0};
};

// Of two instants of the run's axis, within what was read of the process. Clocks drift from where they stood at the
// process's first record by less than 200 us each second.
RawSpan raw_span(const ProcessRow& row, int64_t from_ns, int64_t to_ns) {
  constexpr int64_t kMostDrift = 5000;
  const auto raw_ns = [&row](int64_t run_ns, int64_t sign) {
    const int64_t drift_ns =
        row.aligned != 0 ? std::max<int64_t>(0, run_ns - row.first_ns) / kMostDrift : 0;
    return static_cast<uint64_t>(
        std::max<int64_t>(0, run_ns - row.raw_offset_ns + sign * drift_ns));
  };
  return {std::max(row.read_from_raw_ns, raw_ns(from_ns, -1)),
          std::min(row.read_to_raw_ns, raw_ns(to_ns, 1))};
}

Status stream_entry(const dumper::ProcessEntry& entry, const RunTables& run,
                    const CommunicatorIndex& index, uint32_t process, const RawSpan& span,
                    DetailSink* sink) {
  dumper::ProcessReader reader(entry, {true, span.from_ns, span.to_ns});
  DetailJoin join(run, index, process, sink);
  dumper::SegmentChunk chunk;
  while (reader.next(&chunk)) {
    if (chunk.type == ChunkType::Records) join.take(chunk.records);
  }
  join.finish();
  return {};
}

// What the processes of a run have in common, found once: a directory of a thousand processes is not
// to be listed a thousand times.
class Streams {
 public:
  Streams(const std::string& directory, const RunTables& run)
      : directory_(directory),
        run_(run),
        index_(run),
        opened_(dumper::RunDirectory::open(directory)) {
    if (!opened_.ok()) return;
    for (const dumper::ProcessEntry& entry : opened_.value().processes)
      entries_.emplace(entry.uid, &entry);
  }
  Status stream(uint32_t process, DetailSink* sink) const {
    if (process >= run_.processes.size()) return gone(process);
    const ProcessRow& row = run_.processes[process];
    return stream(process, RawSpan{row.read_from_raw_ns, row.read_to_raw_ns}, sink);
  }
  Status stream_between(uint32_t process, int64_t from_ns, int64_t to_ns, DetailSink* sink) const {
    if (process >= run_.processes.size()) return gone(process);
    return stream(process, raw_span(run_.processes[process], from_ns, to_ns), sink);
  }

 private:
  Status stream(uint32_t process, const RawSpan& span, DetailSink* sink) const {
    if (!opened_.ok()) return opened_.status();
    const auto entry = entries_.find(run_.processes[process].uid);
    if (entry == entries_.end()) return gone(process);
    return stream_entry(*entry->second, run_, index_, process, span, sink);
  }
  Status gone(uint32_t process) const {
    return Status::error(directory_ + ": the process of row " + std::to_string(process) +
                         " is not in this directory any more; load the run again");
  }

  const std::string directory_;
  const RunTables& run_;
  const CommunicatorIndex index_;
  const Result<dumper::RunDirectory> opened_;
  std::unordered_map<uint64_t, const dumper::ProcessEntry*> entries_;  // by uid
};

// Lists the directory when the first process is asked for: most questions never ask.
class LateStreams {
 public:
  LateStreams(std::string directory, const RunTables& run)
      : directory_(std::move(directory)), run_(run) {}
  const Streams& get() {
    std::call_once(once_, [this] { streams_.emplace(directory_, run_); });
    return *streams_;
  }

 private:
  const std::string directory_;
  const RunTables& run_;
  std::once_flag once_;
  std::optional<Streams> streams_;
};

}  // namespace

Status stream_process(const std::string& directory, const RunTables& run, uint32_t process,
                      DetailSink* sink) {
  return Streams(directory, run).stream(process, sink);
}

ExportInput export_input(const std::string& directory, const RunTables& run) {
  const auto streams = std::make_shared<LateStreams>(directory, run);
  return {&run,
          [streams](uint32_t process, DetailSink* sink) {
            return streams->get().stream(process, sink);
          },
          directory,
          [streams](uint32_t process, int64_t from_ns, int64_t to_ns, DetailSink* sink) {
            return streams->get().stream_between(process, from_ns, to_ns, sink);
          }};
}

}  // namespace lockstep::analysis
