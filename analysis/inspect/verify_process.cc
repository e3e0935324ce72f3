#include "analysis/inspect/verify_process.h"

#include "dumper/options/config.h"
#include "lockstep/profiler_versions.h"
#include "lockstep/record_shape.h"

namespace lockstep::analysis {
namespace {

using dumper::count_call;
using dumper::count_comm;
using dumper::count_kind;

dumper::Counts recount(const dumper::DecodedChunk& chunk) {
  dumper::Counts kept;
  const uint64_t* at = chunk.words.data();
  const uint64_t* const end = at + chunk.words.size();
  // Neighbours are mostly alike: add up before the table is asked.
  uint32_t key = 0;
  uint64_t run = 0;
  for (; at != end; at += kRecordShapes[tag_of(*at)].words) {
    const Tag tag = tag_of(*at);
    if (tag >= kCommInitTag) continue;
    const Call call = is_start(tag) ? Call::Start : is_stop(tag) ? Call::Stop : Call::State;
    const EventId id = EventRecord::read(at).id;
    const uint32_t next =
        dumper::make_count_key(comm_of(id), static_cast<unsigned>(kind_of(id)), call);
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
std::string left_out_by_death(const dumper::ProcessFacts& facts) {
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

}  // namespace

ProcessVerifier::ProcessVerifier(const dumper::ProcessEntry& process, RunVerification* out)
    : process_(process),
      out_(out),
      reader_(process, {}),
      who_(process.host + " process " + number(process.pid) + ": ") {}

void ProcessVerifier::differ(const std::string& what) { out_->differences.push_back(who_ + what); }
void ProcessVerifier::note(const std::string& what) { out_->notes.push_back(who_ + what); }

void ProcessVerifier::run() {
  dumper::SegmentChunk chunk;
  while (reader_.next(&chunk)) {
    ++out_->chunks;
    if (chunk.type == ChunkType::Records) check_chunk(chunk);
  }
  for (const dumper::Damage& damage : reader_.damage()) {
    damage.torn_tail ? out_->notes.push_back(to_sentence(damage))
                     : out_->differences.push_back(to_sentence(damage));
  }
  if (reader_.missing_chunks() != 0) {
    differ(number(reader_.missing_chunks()) +
           " chunks are missing: damaged, or a segment file was removed");
  }
  check_chain();
  check_end();
}

void ProcessVerifier::check_chunk(const dumper::SegmentChunk& chunk) {
  const std::string where = reader_.path() + " at offset " + number(chunk.offset) + ": ";
  out_->records += chunk.header.records;
  const dumper::Counts kept = recount(chunk.records);
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
  note_unknown();
  if (reader_.ended()) return check_totals();
  switch (process_.state()) {
    case dumper::ProcessState::Running:
      return note("is still running; its calls cannot be compared yet");
    case dumper::ProcessState::Elsewhere:
      return differ("did not end, and is of another host; run `lockstep recover` there");
    case dumper::ProcessState::Dead:
      return differ(left_out_by_death(process_.facts));
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

}  // namespace lockstep::analysis
