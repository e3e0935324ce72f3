#include "analysis/inspect/count_run.h"

#include <algorithm>
#include <unordered_map>

#include "base/json.h"
#include "dumper/run/process_reader.h"
#include "dumper/segment/live_comms.h"
#include "lockstep/record_shape.h"

namespace lockstep::analysis {
namespace {

using dumper::ProcessEntry;
using dumper::ProcessReader;
using dumper::SegmentChunk;

// When each communicator of a process was finalized.
struct Finalizes {
  std::unordered_map<uint32_t, uint64_t> ticks;
  uint64_t earliest_raw_ns = ~uint64_t{0};
};

void count_tag(Tag tag, uint64_t id, RunCounts* counts) {
  if (is_mark(tag)) ++counts->starts[kMarkKind];
  const auto kind = static_cast<unsigned>(kind_of(id));
  if (is_start(tag)) ++counts->starts[kind];
  if (is_state(tag)) ++counts->states[kind];
  if (is_stop(tag)) ++counts->stops[kind];
}

// What is learnt of a process's communicators while its records are counted.
struct Comms {
  dumper::LiveComms known;
  uint64_t began_earlier = 0;  // in segments that were deleted since
  Finalizes finalizes;

  void learn_list(const std::string& json) {
    const size_t before = known.all().size();
    // A list that cannot be read costs names only.
    static_cast<void>(known.merge_json(json));
    began_earlier += known.all().size() - before;
  }
};

// Which records of a process are counted.
struct Wanted {
  dumper::RawSpan span;
  const dumper::Selection* selection;

  bool operator()(const uint64_t* record, const dumper::ChunkClock& clock,
                  const dumper::LiveComms& comms) const {
    const uint64_t raw_ns = span.is_whole() ? span.from_ns : clock.raw_ns(ticks_of(*record));
    if (raw_ns < span.from_ns || raw_ns > span.to_ns) return false;
    if (selection->comm.empty()) return true;
    if (is_mark(tag_of(*record))) return false;
    const uint32_t comm = is_comm(tag_of(*record))
                              ? static_cast<uint32_t>(CommRecord::read(record).comm & kLastComm)
                              : comm_of(EventRecord::read(record).id);
    const auto known = comms.all().find(comm);
    return known != comms.all().end() &&
           selection->wants_comm(known->second.id, known->second.name);
  }
};

void count_records(const dumper::DecodedChunk& chunk, const Wanted& wanted, RunCounts* counts,
                   Comms* comms) {
  const uint64_t* at = chunk.words.data();
  const uint64_t* const end = at + chunk.words.size();
  while (at != end) {
    const Tag tag = tag_of(*at);
    if (is_comm(tag)) comms->known.apply(at, chunk.strings);
    if (!wanted(at, chunk.clock, comms->known)) {
      at += kRecordShapes[tag].words;
      continue;
    }
    count_tag(tag, EventRecord::read(at).id, counts);
    ++counts->records;
    if (tag == kCommInitTag) ++counts->communicators;
    if (tag == kCommFinalizeTag) {
      Finalizes& finalizes = comms->finalizes;
      const auto comm = static_cast<uint32_t>(CommRecord::read(at).comm);
      finalizes.ticks.emplace(comm, ticks_of(*at));
      finalizes.earliest_raw_ns =
          std::min(finalizes.earliest_raw_ns, chunk.clock.raw_ns(ticks_of(*at)));
    }
    at += kRecordShapes[tag].words;
  }
}

uint64_t count_late(const dumper::DecodedChunk& chunk, const Finalizes& finalizes,
                    const Wanted& wanted, const dumper::LiveComms& comms) {
  uint64_t late = 0;
  const uint64_t* at = chunk.words.data();
  const uint64_t* const end = at + chunk.words.size();
  for (; at != end; at += kRecordShapes[tag_of(*at)].words) {
    if (tag_of(*at) >= kCommInitTag) continue;
    const auto finalize = finalizes.ticks.find(comm_of(EventRecord::read(at).id));
    if (finalize != finalizes.ticks.end() && ticks_of(*at) > finalize->second &&
        wanted(at, chunk.clock, comms))
      ++late;
  }
  return late;
}

void count_losses(const dumper::Ledger& ledger, RunCounts* counts) {
  for (const auto& [key, count] : ledger.losses) {
    const unsigned kind = loss_kind(key);
    switch (loss_why(key)) {
      case Loss::Filtered:
        counts->filtered[kind] += count;
        break;
      case Loss::Memory:
        counts->shed[kind] += count;
        break;
      case Loss::Folded:
        counts->folded[kind] += count;
        (loss_call(key) == Call::Start   ? counts->starts
         : loss_call(key) == Call::State ? counts->states
                                         : counts->stops)[kind] += count;
        break;
      case Loss::Disk:
        counts->given_up[kind] += count;
        break;
      default:
        counts->unknown[kind] += count;
    }
  }
}

void count_damage(const ProcessReader& reader, RunCounts* counts) {
  counts->missing_chunks += reader.missing_chunks();
  for (const dumper::Damage& damage : reader.damage())
    ++(damage.torn_tail ? counts->torn_tails : counts->damaged_chunks);
  for (std::string& sentence : reader.damage_sentences())
    counts->damage.push_back(std::move(sentence));
}

void count_process(const ProcessEntry& process, const Wanted& wanted, RunCounts* counts) {
  ++counts->processes;
  Comms comms;
  SegmentChunk chunk;
  ProcessReader reader(process, wanted.span.options());
  while (reader.next(&chunk)) {
    if (chunk.type == ChunkType::Records) count_records(chunk.records, wanted, counts, &comms);
    if (chunk.type == ChunkType::Comms) comms.learn_list(chunk.text);
  }
  counts->communicators += comms.began_earlier;
  count_losses(reader.ledger(), counts);
  count_damage(reader, counts);
  const Finalizes& finalizes = comms.finalizes;
  if (finalizes.ticks.empty()) return;
  ProcessReader again(process, {true, finalizes.earliest_raw_ns, wanted.span.to_ns});
  while (again.next(&chunk)) {
    if (chunk.type != ChunkType::Records || chunk.header.last_raw_ns < finalizes.earliest_raw_ns)
      continue;
    counts->late += count_late(chunk.records, finalizes, wanted, comms.known);
  }
}

void put_kinds(JsonFields* out, const char* name, const KindCounts& counts) {
  out->object(name, [&] {
    for (unsigned kind = 0; kind < kCountedKinds; ++kind) {
      if (counts[kind] != 0) out->number(kKindNames[kind], counts[kind]);
    }
  });
}

uint64_t sum(const KindCounts& counts) {
  uint64_t total = 0;
  for (uint64_t count : counts) total += count;
  return total;
}

}  // namespace

std::string RunCounts::to_json() const {
  JsonFields out;
  out.object([&] {
    out.number("processes", processes);
    out.number("communicators", communicators);
    out.number("records", records);
    put_kinds(&out, "starts", starts);
    out.number("states", sum(states));
    out.number("stops", sum(stops));
    put_kinds(&out, "filtered", filtered);
    put_kinds(&out, "shed", shed);
    out.number("late", late);
    out.number("damaged_chunks", damaged_chunks);
    put_kinds(&out, "states_by_kind", states);
    put_kinds(&out, "stops_by_kind", stops);
    put_kinds(&out, "folded", folded);
    put_kinds(&out, "given_up", given_up);
    put_kinds(&out, "unknown", unknown);
    out.number("missing_chunks", missing_chunks);
    out.number("torn_tails", torn_tails);
    out.number("unreadable_files", unreadable_files);
  });
  return std::string(out.text());
}

Result<RunCounts> count_run(const std::string& directory, const dumper::Selection& selection) {
  auto run = dumper::RunDirectory::open(directory);
  if (!run.ok()) return run.status();
  const auto spans = dumper::select(selection, &run.value());
  if (!spans.ok()) return spans.status();
  RunCounts counts;
  counts.unreadable_files = run.value().unreadable.size();
  counts.damage = run.value().damage_sentences();
  for (size_t i = 0; i < run.value().processes.size(); ++i)
    count_process(run.value().processes[i], {spans.value()[i], &selection}, &counts);
  return counts;
}

Result<RunCounts> count_run(const std::string& directory) { return count_run(directory, {}); }

}  // namespace lockstep::analysis
