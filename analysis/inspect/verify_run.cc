#include "analysis/inspect/verify_run.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "analysis/inspect/recorded_ranks.h"
#include "analysis/inspect/shed_range.h"
#include "analysis/inspect/withheld_kinds.h"
#include "base/json.h"
#include "dumper/options/config.h"
#include "dumper/run/known_comms.h"
#include "dumper/run/mixed_jobs.h"
#include "dumper/run/process_reader.h"
#include "dumper/segment/capture_notes.h"
#include "lockstep/profiler_versions.h"
#include "lockstep/record_shape.h"

namespace lockstep::analysis {
namespace {

using dumper::count_call;
using dumper::count_comm;
using dumper::count_kind;

dumper::Counts recount(const dumper::DecodedChunk& chunk, WithheldKinds* kinds) {
  dumper::Counts kept;
  const uint64_t* at = chunk.words.data();
  const uint64_t* const end = at + chunk.words.size();
  // Neighbours are mostly alike: add up before the table is asked.
  uint32_t key = 0;
  uint64_t run = 0;
  for (; at != end; at += kRecordShapes[tag_of(*at)].words) {
    const Tag tag = tag_of(*at);
    if (is_comm(tag)) continue;
    uint32_t next = dumper::make_count_key(kUnknownComm, kMarkKind, Call::Start);
    if (!is_mark(tag)) {
      kinds->see(at);
      const EventId id = EventRecord::read(at).id;
      next = dumper::make_count_key(comm_of(id), static_cast<unsigned>(kind_of(id)), call_of(tag));
    }
    if (next != key) {
      kept.add(key, run);
      run = 0;
      key = next;
    }
    ++run;
  }
  kept.add(key, run);
  return kept;
}

std::string number(uint64_t value) { return std::to_string(value); }

// What a process that was killed left out: nothing that recovery cannot find, or, with crash safety
// off, what its own memory held.
std::string left_out_by_death(const dumper::ProcessFacts& facts, const dumper::Ledger& ledger) {
  if (ledger.exited)
    return "exited while its threads went on; run `lockstep recover` for their last calls";
  dumper::Config config;
  for (const dumper::OptionFact& fact : facts.options) {
    for (Option option : {Option::CrashSafe, Option::DumpIntervalUs}) {
      if (fact.name == option_row(option).name)
        static_cast<void>(config.set(option, fact.value, dumper::Origin::File));
    }
  }
  if (config.flag(Option::CrashSafe))
    return "died before its last records were written; run `lockstep recover`";
  return "died with LOCKSTEP_CRASH_SAFE=0: what it called in its last dump interval (" +
         number(config.u64(Option::DumpIntervalUs)) +
         " us) died with it and cannot be recovered; everything before is here";
}

// "bit 16 (3 times), bit 15, RCCL's ProxyDiag (once)"; `name_of` gives nullptr for numbers that
// nobody has named.
template <typename NameOf>
std::string list_unknown(const std::map<unsigned, uint64_t>& counts, const std::string& one,
                         const std::string& others, const NameOf& name_of) {
  std::string list;
  for (const auto& [what, count] : counts) {
    list += list.empty() ? "" : ", ";
    list += what == kUnknownNumbers - 1 ? others : one + " " + number(what);
    if (const char* name = name_of(what)) list += std::string(", RCCL's ") + name;
    list += count == 1 ? " (once)" : " (" + number(count) + " times)";
  }
  return list;
}

// The checks of one process, fed chunk by chunk.
class ProcessVerifier {
 public:
  ProcessVerifier(const dumper::ProcessEntry& process, RecordedRanks* ranks, RunVerification* out);
  void run();

 private:
  struct Block {
    uint32_t covered_bytes = 0;
    uint64_t previous = 0;
  };

  void check_names();
  void check_chunk(const dumper::SegmentChunk& chunk);
  void check_piece(const dumper::DecodedPiece& piece, const std::string& where);
  void check_chain();
  void check_end();
  void check_totals();
  void note_unknown();
  void differ(const std::string& what);
  void note(const std::string& what);

  const dumper::ProcessEntry& process_;
  RecordedRanks* ranks_;
  RunVerification* out_;
  dumper::ProcessReader reader_;
  std::string who_;
  std::unordered_map<uint64_t, Block> blocks_;
  std::set<uint32_t> tids_;
  uint64_t first_raw_ns_ = ~uint64_t{0};  // of its records
  dumper::Counts kept_;
  WithheldKinds kinds_;
  dumper::CallCounts calls_{};
};

ProcessVerifier::ProcessVerifier(const dumper::ProcessEntry& process, RecordedRanks* ranks,
                                 RunVerification* out)
    : process_(process),
      ranks_(ranks),
      out_(out),
      reader_(process, {}),
      who_(process.host + " process " + number(process.pid) + ": ") {}

void ProcessVerifier::differ(const std::string& what) { out_->differences.push_back(who_ + what); }
void ProcessVerifier::note(const std::string& what) { out_->notes.push_back(who_ + what); }

void ProcessVerifier::run() {
  check_names();
  dumper::LiveComms comms;
  dumper::SegmentChunk chunk;
  while (reader_.next(&chunk)) {
    ++out_->chunks;
    dumper::learn_comms(chunk, &comms);
    if (chunk.type == ChunkType::Records) check_chunk(chunk);
  }
  ranks_->add_process(comms.all());
  for (std::string& sentence : reader_.damage_sentences())
    out_->differences.push_back(std::move(sentence));
  for (std::string& sentence : reader_.harmless_tails()) out_->notes.push_back(std::move(sentence));
  check_chain();
  check_end();
}

// A file's name says whose it is; so do its facts.
void ProcessVerifier::check_names() {
  const dumper::ProcessFacts& facts = process_.facts;
  if (facts.pid == 0 || facts.host.empty()) return;
  for (const dumper::SegmentFile& segment : process_.segments) {
    if (segment.name.pid == facts.pid && segment.name.host == facts.host) continue;
    out_->differences.push_back(segment.path + ": was written by " + facts.host + " process " +
                                number(facts.pid) + " and is named as another's; rename it back");
  }
}

void ProcessVerifier::check_chunk(const dumper::SegmentChunk& chunk) {
  const std::string where = reader_.path() + " at offset " + number(chunk.offset) + ": ";
  out_->records += chunk.header.records;
  if (chunk.header.records != 0) first_raw_ns_ = std::min(first_raw_ns_, chunk.header.first_raw_ns);
  const dumper::Counts kept = recount(chunk.records, &kinds_);
  if (!(kept == chunk.records.kept)) {
    for (const auto& [key, count] : kept.sorted()) {
      const uint64_t told = chunk.records.kept.get(key);
      if (told == count) continue;
      out_->differences.push_back(where + "holds " + number(count) + " " +
                                  kCallNames[static_cast<unsigned>(count_call(key))] + " of " +
                                  kKindNames[count_kind(key)] + " on communicator " +
                                  number(count_comm(key)) + " and says " + number(told));
    }
    if (chunk.records.kept.size() > kept.size())
      out_->differences.push_back(where + "counts calls that it does not hold");
  }
  kept_.add(kept);
  for (unsigned cell = 0; cell < dumper::kCallCells; ++cell)
    calls_[cell] += chunk.records.calls[cell];
  for (const dumper::DecodedPiece& piece : chunk.records.pieces) check_piece(piece, where);
}

void ProcessVerifier::check_piece(const dumper::DecodedPiece& piece, const std::string& where) {
  tids_.insert(piece.tid);
  const auto [found, is_new] = blocks_.try_emplace(piece.block_sequence);
  Block& block = found->second;
  block.previous = piece.previous_sequence;
  const bool begins_within = is_new && reader_.begins_late();
  if (piece.from_byte != block.covered_bytes && !begins_within) {
    out_->differences.push_back(where + "block " + number(piece.block_sequence) +
                                " goes on at byte " + number(piece.from_byte) + " where " +
                                number(block.covered_bytes) + " was next");
  }
  block.covered_bytes = piece.from_byte + piece.bytes;
  if (piece.unreadable_bytes != 0) {
    out_->differences.push_back(where + number(piece.unreadable_bytes) + " bytes of block " +
                                number(piece.block_sequence) + " were no records");
  }
}

void ProcessVerifier::check_chain() {
  if (reader_.begins_late()) {
    note("its first " + number(reader_.ledger().first_segment) +
         " segments were deleted for the disk budget, or removed");
    return;
  }
  for (const auto& [sequence, block] : blocks_) {
    if (block.previous != 0 && blocks_.count(block.previous) == 0) {
      differ("block " + number(block.previous) + ", which came before block " + number(sequence) +
             ", is missing");
    }
  }
}

void ProcessVerifier::check_end() {
  for (const std::string& text : process_.facts.notes) note(text);
  for (const std::string& text : reader_.ledger().notes) note(text);
  if (const std::string shed = shed_sentence(reader_.ledger(), first_raw_ns_); !shed.empty())
    note(shed);
  for (const std::string& text :
       dumper::sample_sentences(process_.facts, kept_, reader_.ledger().notes))
    note(text);
  note_unknown();
  for (const std::string& text : kinds_.uncalled_for(process_.facts, reader_.ledger())) note(text);
  for (const std::string& text : kinds_.withheld(process_.facts, reader_.ledger())) differ(text);
  if (reader_.ended()) return check_totals();
  switch (process_.state()) {
    case dumper::ProcessState::Running:
      return note("is still running; its calls cannot be compared yet");
    case dumper::ProcessState::Elsewhere:
      return differ("did not end, and is of another host; run `lockstep recover` there");
    case dumper::ProcessState::Dead:
      return differ(left_out_by_death(process_.facts, reader_.ledger()));
  }
}

// What a newer NCCL, or RCCL, calls us with shows itself here.
void ProcessVerifier::note_unknown() {
  const dumper::Ledger& ledger = reader_.ledger();
  const bool rccl =
      process_.facts.nccl_library == abi::kLibraryNames[static_cast<size_t>(abi::Library::Rccl)];
  const std::string where = "its profiler table v" + number(process_.facts.abi_version);
  if (!ledger.unknown_kinds.empty()) {
    note("events that " + where + " does not have, by the bit of their type: " +
         list_unknown(ledger.unknown_kinds, "bit", "no single bit",
                      [rccl](unsigned bit) { return rccl ? abi::rccl_kind_name(bit) : nullptr; }));
  }
  if (!ledger.unknown_states.empty()) {
    note("states that " + where + " does not have: " +
         list_unknown(ledger.unknown_states, "state", "states above 63", [rccl](unsigned state) {
           return rccl ? abi::rccl_state_name(state) : nullptr;
         }));
  }
}

void ProcessVerifier::check_totals() {
  const dumper::Ledger& ledger = reader_.ledger();
  const dumper::CallCounts kept = kept_.by_call();
  dumper::CallCounts lost{};
  for (const auto& [key, count] : ledger.losses)
    lost[dumper::call_cell(loss_kind(key), loss_call(key))] += count;
  uint64_t in_progress = 0;
  for (unsigned cell = 0; cell < dumper::kCallCells; ++cell) {
    const uint64_t calls =
        calls_[cell] + ledger.calls_without_block[cell] + ledger.calls_given_up[cell];
    out_->calls += calls;
    out_->lost += lost[cell];
    in_progress += ledger.in_progress[cell];
    if (calls == kept[cell] + lost[cell] + ledger.in_progress[cell]) continue;
    differ(std::string(kKindNames[cell / kCalls]) + " " + kCallNames[cell % kCalls] + ": " +
           number(calls) + " calls, but " + number(kept[cell]) + " recorded, " +
           number(lost[cell]) + " counted as lost and " + number(ledger.in_progress[cell]) +
           " in progress at its death");
  }
  out_->in_progress += in_progress;
  if (in_progress > tids_.size()) {
    differ(number(in_progress) + " calls were in progress at its death, more than its " +
           number(tids_.size()) + " threads");
  }
}

}  // namespace

std::string RunVerification::to_json() const {
  JsonFields out;
  out.object([&] {
    out.boolean("complete", differences.empty());
    out.number("processes", processes);
    out.number("chunks", chunks);
    out.number("records", records);
    out.number("calls", calls);
    out.number("lost", lost);
    out.number("in_progress", in_progress);
    out.strings("differences", differences);
    out.strings("notes", notes);
  });
  return std::string(out.text());
}

Result<RunVerification> verify_run(const std::string& directory, Recorded expected) {
  const auto run = dumper::RunDirectory::open(directory);
  if (!run.ok()) return run.status();
  RunVerification verification;
  verification.differences = run.value().damage_sentences();
  RecordedRanks ranks;
  for (const dumper::ProcessEntry& process : run.value().processes) {
    ++verification.processes;
    ProcessVerifier(process, &ranks, &verification).run();
  }
  auto& told = expected == Recorded::AllRanks ? verification.differences : verification.notes;
  for (std::string& sentence : ranks.missing()) told.push_back(std::move(sentence));
  if (ranks.groups() > 1) {
    verification.notes.push_back(
        directory + ": its processes form " + std::to_string(ranks.groups()) +
        " groups that share no communicator: several jobs have recorded here, or one whose groups "
        "never meet");
  }
  const std::string jobs = dumper::mixed_jobs(run.value().processes);
  if (!jobs.empty()) verification.notes.push_back(directory + ": " + jobs);
  return verification;
}

}  // namespace lockstep::analysis
