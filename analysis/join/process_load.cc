#include "analysis/join/process_load.h"

#include <unistd.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "analysis/join/brief_words.h"
#include "analysis/join/operations.h"
#include "analysis/join/span_rows.h"
#include "base/clock_ns.h"
#include "base/launcher.h"
#include "clocksync/record/clock_files.h"
#include "dumper/run/mixed_jobs.h"
#include "dumper/run/process_reader.h"
#include "dumper/run/process_state.h"
#include "dumper/run/slice.h"
#include "dumper/segment/live_comms.h"
#include "lockstep/config.h"
#include "lockstep/kind_mask.h"

namespace lockstep::analysis {
namespace {

constexpr uint64_t kMarginNs = dumper::kSpanMarginNs;
constexpr uint64_t kLongestMarginNs = kMarginNs * 1024;  // three hours

int64_t signed_ns(uint64_t raw_ns) {
  constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  return static_cast<int64_t>(std::min(raw_ns, kMost));
}

void fill_facts(const dumper::ProcessEntry& entry, LoadedProcess* out) {
  ProcessRow& row = out->row;
  row.uid = entry.uid;
  row.host = out->strings.intern(entry.host);
  row.pid = entry.pid;
  row.boot_id = out->strings.intern(entry.facts.boot_id);
  row.library = out->strings.intern(entry.facts.library_version);
  if (entry.facts.abi_version != 0) {
    row.nccl_api = out->strings.intern("v" + std::to_string(entry.facts.abi_version));
  }
  row.nccl_library = out->strings.intern(entry.facts.nccl_library);
  row.nccl_version = entry.facts.nccl_version;
  row.driver_version = out->strings.intern(entry.facts.driver_version);
  row.kinds = entry.facts.activation_mask;
  const auto add_setting = [out](const std::string& name, const std::string& value) {
    out->settings.push_back({kNoRow, out->strings.intern(name), out->strings.intern(value)});
  };
  for (const dumper::OptionFact& fact : entry.facts.options) add_setting(fact.name, fact.value);
  if (!entry.facts.settings_digest.empty())
    add_setting(kSettingsDigest, entry.facts.settings_digest);
  out->notes = entry.facts.notes;
  const std::string job = launch_fact(LaunchFact::Job, [&entry](const char* name) {
    for (const dumper::JobFact& fact : entry.facts.job) {
      if (fact.name == name) return fact.value;
    }
    return std::string();
  });
  if (!job.empty()) row.job = out->strings.intern(job);
  row.segments = static_cast<uint32_t>(entry.segments.size());
  for (const dumper::SegmentFile& segment : entry.segments) {
    row.stored_bytes += segment.bytes;
    if (segment.writer == 1) row.recovered = 1;
  }
}

// Communicators of a segment whose beginning was deleted: only the Comms chunk knows them.
void add_known_comms(const std::string& json, const std::optional<dumper::ChunkClock>& clock,
                     LoadedProcess* out, OperationJoin* join) {
  dumper::LiveComms comms;
  if (!comms.merge_json(json).ok()) return;
  for (const auto& [number, facts] : comms.all()) {
    JoinedComm comm;
    comm.number = number;
    comm.comm_id = facts.id;
    comm.name = out->strings.intern(facts.name);
    comm.rank = static_cast<int32_t>(facts.rank);
    comm.nranks = static_cast<int32_t>(facts.ranks);
    comm.nnodes = static_cast<int32_t>(facts.nodes);
    if (clock.has_value()) {
      comm.init_ns = static_cast<int64_t>(clock->raw_ns(facts.init_ticks));
      comm.init_real_ns = static_cast<int64_t>(clock->real_ns(facts.init_ticks));
    }
    join->know_comm(comm);
  }
}

// gpu_clock=active: what the process's own thread read of its GPUs' clocks, beside its segments.
void add_gpu_snapshots(const dumper::ProcessEntry& entry, LoadedProcess* out, OperationJoin* join) {
  if (entry.segments.empty()) return;
  const std::string& segment = entry.segments.front().path;
  const std::string path = segment.substr(0, segment.find_last_of('/') + 1) + entry.host + ".gpu" +
                           std::to_string(entry.pid) + kClockFileSuffix;
  if (access(path.c_str(), F_OK) != 0) return;
  Result<clocksync::ClockRecordReader> opened = clocksync::ClockRecordReader::open(path);
  if (!opened.ok()) return out->notes.push_back(opened.message());
  while (std::optional<ClockRecord> record = opened.value().next()) {
    auto* snapshot = std::get_if<GpuSnapshot>(&*record);
    if (snapshot == nullptr) continue;
    const Text gpu = out->strings.intern(snapshot->gpu_uuid);
    join->know_gpu(std::move(*snapshot), gpu);
  }
  for (const std::string& complaint : opened.value().report().complaints)
    out->notes.push_back(complaint);
}

class ChunkFeeder {
 public:
  ChunkFeeder(LoadedProcess* out, OperationJoin* join, const ProcessTerms& terms)
      : out_(*out),
        join_(*join),
        notes_blocks_(terms.memory != nullptr),
        counts_(terms.brief == nullptr) {}

  void take(const dumper::SegmentChunk& chunk) {
    if (chunk.type == ChunkType::Comms) comms_.push_back(chunk.text);
    if (chunk.type == ChunkType::Records) take(chunk.records);
  }
  void take(const dumper::DecodedChunk& chunk) {
    take_records(chunk);
    if (!notes_blocks_) return;
    for (const dumper::DecodedPiece& piece : chunk.pieces) {
      uint32_t& told = told_[piece.block_sequence];
      told = std::max(told, piece.from_byte + piece.bytes);
    }
  }
  // Up to which byte each block was fed, by its sequence number.
  const std::map<uint64_t, uint32_t>& told() const { return told_; }
  const dumper::Counts& kept() const { return kept_; }
  const std::vector<std::string>& comms() const { return comms_; }
  const std::optional<dumper::ChunkClock>& clock() const { return clock_; }

 private:
  void take_records(const dumper::DecodedChunk& chunk) {
    for (const auto& [number, text] : chunk.strings) {
      if (number >= texts_.size()) texts_.resize(number + 1);
      texts_[number] = out_.strings.intern(text);
    }
    add_records(chunk);
    if (counts_) kept_.add(chunk.kept);
    if (chunk.clock.anchors().empty()) return;
    clock_ = chunk.clock;
    const auto& last = chunk.clock.anchors().back();
    ProcessRow& row = out_.row;
    row.heard_ns = std::max(row.heard_ns, static_cast<int64_t>(last.raw_ns));
    row.real_offset_ns = static_cast<int64_t>(last.real_ns) - static_cast<int64_t>(last.raw_ns);
  }

  void add_records(const dumper::DecodedChunk& chunk) {
    if (!chunk.tags.empty()) return join_.add_by_tag(chunk, texts_);
    for (size_t i = 0; i < chunk.pieces.size(); ++i) {
      const dumper::DecodedPiece& piece = chunk.pieces[i];
      join_.add(piece.tid, chunk.words.data() + piece.first_word,
                chunk.end_of(i) - piece.first_word, chunk.clock, texts_);
    }
  }

  LoadedProcess& out_;
  OperationJoin& join_;
  const bool notes_blocks_;  // for told(): only who goes on with a process's memory asks
  const bool counts_;        // for kept(): nobody asks what a process with brief operations kept
  std::vector<Text> texts_;
  dumper::Counts kept_;
  std::vector<std::string> comms_;
  std::optional<dumper::ChunkClock> clock_;
  std::map<uint64_t, uint32_t> told_;
};

void fill_ledger(const dumper::Counts& kept, const dumper::Ledger& ledger, LoadedProcess* out) {
  std::map<uint32_t, LedgerRow> rows;
  const auto row_of = [&](uint32_t comm, unsigned kind, Call call) -> LedgerRow& {
    LedgerRow& row = rows[dumper::make_count_key(comm, kind, call)];
    row.number = comm;
    row.kind = static_cast<uint8_t>(kind);
    row.call = static_cast<uint8_t>(call);
    return row;
  };
  for (const auto& [key, count] : kept.sorted()) {
    row_of(dumper::count_comm(key), dumper::count_kind(key), dumper::count_call(key)).kept += count;
  }
  for (const auto& [key, count] : ledger.losses) {
    const auto why = static_cast<unsigned>(loss_why(key));
    if (why >= kLosses || loss_kind(key) >= kCountedKinds) continue;
    row_of(loss_comm(key), loss_kind(key), loss_call(key)).lost[why] += count;
    if (loss_why(key) == Loss::Memory || loss_why(key) == Loss::Disk) out->row.lost += count;
  }
  for (const auto& [key, row] : rows) out->ledger.push_back(row);
}

// A network operation comes with any of its parts.
uint32_t without_network(uint32_t captured) {
  constexpr uint32_t kNetwork =
      kind_bit(Kind::ProxyOp) | kind_bit(Kind::ProxyStep) | kind_bit(Kind::NetPlugin);
  return (captured & kNetwork) == kNetwork ? captured : captured & ~kNetwork;
}

// In its largest communicator, the first of several: places.h says who is to blame by the same.
int32_t world_rank(const std::vector<JoinedComm>& comms) {
  const auto largest = std::max_element(
      comms.begin(), comms.end(),
      [](const JoinedComm& one, const JoinedComm& other) { return one.nranks < other.nranks; });
  return largest == comms.end() ? -1 : largest->rank;
}

Life life_of_running(uint32_t pid) {
  const char state = dumper::process_run_state(pid);
  return state == 'T' ? Life::Stopped : state == 'D' ? Life::Blocked : Life::Running;
}

void set_life(const dumper::ProcessEntry& entry, const dumper::ProcessReader& reader,
              ProcessRow* row) {
  const dumper::ProcessState state = entry.state();
  // A process that exited closed its recording, also when its threads' last calls were recovered.
  const bool exited = reader.ledger().exited && state != dumper::ProcessState::Running;
  if (exited || (reader.ended() && row->recovered == 0)) {
    row->life = Life::Ended;
  } else if (row->recovered != 0 || state == dumper::ProcessState::Dead) {
    row->life = Life::Dead;
  } else if (state == dumper::ProcessState::Running) {
    row->life = life_of_running(row->pid);
    row->heard_ns = std::max(row->heard_ns, raw_now_ns());
  }
}

// `read`: what is read of its files to learn what happened in `asked`.
std::unique_ptr<LoadedProcess> load_span(const dumper::ProcessEntry& entry, dumper::RawSpan asked,
                                         dumper::RawSpan read, const ProcessTerms& terms) {
  auto out = std::make_unique<LoadedProcess>();
  fill_facts(entry, out.get());
  out->row.asked_from_raw_ns = asked.from_ns;
  out->row.asked_to_raw_ns = asked.to_ns;
  out->row.read_from_raw_ns = read.from_ns;
  out->row.read_to_raw_ns = read.to_ns;
  OperationJoin join =
      terms.brief == nullptr ? OperationJoin(entry.pid) : OperationJoin(entry.pid, terms.brief);
  if (!asked.is_whole()) {
    const int64_t from_ns = signed_ns(asked.from_ns);
    join.count_only(from_ns, signed_ns(asked.to_ns), from_ns + terms.context_ns);
  }
  dumper::SegmentReaderOptions options = read.options();
  if (terms.brief != nullptr) options.words = &kBriefWords;
  options.used_comms_only = terms.about;
  dumper::ProcessReader reader(entry, options, terms.places);
  ChunkFeeder feeder(out.get(), &join, terms);
  dumper::SegmentChunk chunk;
  while (reader.next(&chunk)) feeder.take(chunk);
  if (terms.memory != nullptr) {
    for (const dumper::DecodedChunk& unwritten : terms.memory->unwritten(feeder.told()))
      feeder.take(unwritten);
  }
  if (!reader.left_out_earlier()) out->row.read_from_raw_ns = 0;
  for (const std::string& json : feeder.comms())
    add_known_comms(json, feeder.clock(), out.get(), &join);
  add_gpu_snapshots(entry, out.get(), &join);
  out->captures = dumper::noted_captures(reader.ledger().notes);
  join.captured_only(without_network(dumper::kinds_by_captures(
      static_cast<uint32_t>(entry.facts.activation_mask), reader.ledger().notes)));
  out->joined = join.finish(out->strings, terms.gpu_clocks);
  ProcessRow& row = out->row;
  row.first_ns = out->joined.first_ns;
  row.last_ns = out->joined.last_ns;
  row.records = out->joined.records;
  // When a process died, its recovery does not know.
  const dumper::Ledger& ledger = reader.ledger();
  row.plugin_init_ns = signed_ns(ledger.init_ns);
  const int64_t told_ns =
      ledger.recovered && !ledger.exited ? kNoTime : static_cast<int64_t>(ledger.raw_ns);
  row.heard_ns = std::max({row.heard_ns, row.last_ns, told_ns});
  set_life(entry, reader, &row);
  // At the end of a span in the past nobody had been silent for longer than to there.
  row.heard_ns = std::min(row.heard_ns, signed_ns(asked.to_ns));
  row.damaged_chunks = static_cast<uint32_t>(reader.damage().size() + reader.missing_chunks());
  out->damage = reader.damage_sentences();
  row.rank = world_rank(out->joined.comms);
  fill_ledger(feeder.kept(), ledger, out.get());
  if (terms.brief == nullptr) {
    for (std::string& sample : dumper::sample_sentences(entry.facts, feeder.kept(), ledger.notes))
      out->notes.push_back(std::move(sample));
  }
  out->notes.insert(out->notes.end(), out->damage.begin(), out->damage.end());
  for (std::string& tail : reader.harmless_tails()) out->notes.push_back(std::move(tail));
  return out;
}

// With what lies around it. Further back as long as that finds where operations began; children without
// any are normal input.
std::unique_ptr<LoadedProcess> load_around(const dumper::ProcessEntry& entry, dumper::RawSpan span,
                                           const ProcessTerms& terms) {
  dumper::RawSpan read = terms.context_ns == 0 ? dumper::with_margin(span) : span;
  std::unique_ptr<LoadedProcess> loaded;
  uint64_t cut_off = ~uint64_t{0};
  for (uint64_t margin_ns = terms.context_ns == 0 ? kMarginNs : 0; margin_ns <= kLongestMarginNs;
       margin_ns = std::max(margin_ns * 4, kMarginNs)) {
    read.from_ns = span.from_ns > margin_ns ? span.from_ns - margin_ns : 0;
    loaded = load_span(entry, span, read, terms);
    const uint64_t still = loaded->joined.cut_off;
    if (read.from_ns == 0 || still == 0 || still >= cut_off) break;
    cut_off = still;
  }
  return loaded;
}

}  // namespace

std::unique_ptr<LoadedProcess> load_process(const dumper::ProcessEntry& entry,
                                            const ProcessTerms& terms) {
  return load_span(entry, {}, {}, terms);
}

std::unique_ptr<LoadedProcess> load_process(const dumper::ProcessEntry& entry, dumper::RawSpan span,
                                            const dumper::Selection& selection,
                                            const ProcessTerms& terms) {
  std::unique_ptr<LoadedProcess> loaded =
      terms.about ? load_span(entry, span, span, terms) : load_around(entry, span, terms);
  keep_rows(span, selection, loaded.get());
  return loaded;
}

void add_directory_notes(const dumper::RunDirectory& directory, LoadedProcess* first) {
  for (std::string& sentence : directory.damage_sentences()) {
    first->notes.push_back(sentence);
    first->damage.push_back(std::move(sentence));
  }
  const std::string jobs = dumper::mixed_jobs(directory.processes);
  if (!jobs.empty()) first->notes.push_back(directory.path + ": " + jobs);
}

}  // namespace lockstep::analysis
