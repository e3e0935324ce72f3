#include "analysis/inspect/describe_run.h"

#include <algorithm>

#include "analysis/hostload/stream_load.h"
#include "analysis/inspect/shed_range.h"
#include "base/json.h"
#include "dumper/run/known_comms.h"
#include "dumper/run/mixed_jobs.h"
#include "dumper/run/process_reader.h"
#include "lockstep/config.h"

namespace lockstep::analysis {
namespace {

std::string state_of(const ProcessSummary& process) {
  if (process.recovered) return "recovered";
  if (process.ended) return "ended";
  switch (process.entry.state()) {
    case dumper::ProcessState::Running:
      return "running";
    case dumper::ProcessState::Dead:
      return "killed";
    case dumper::ProcessState::Elsewhere:
      return "unknown";
  }
  return "unknown";
}

ProcessSummary describe_process(const dumper::ProcessEntry& entry,
                                std::vector<std::string>* damage) {
  ProcessSummary process;
  process.entry = entry;
  for (const dumper::SegmentFile& segment : entry.segments) process.bytes += segment.bytes;
  dumper::LiveComms comms;
  dumper::ProcessReader reader(entry, {});
  dumper::SegmentChunk chunk;
  while (reader.next(&chunk)) {
    ++process.chunks;
    dumper::learn_comms(chunk, &comms);
    if (chunk.type != ChunkType::Records || chunk.header.records == 0) continue;
    const bool first = process.records == 0;
    process.first_raw_ns = first ? chunk.header.first_raw_ns
                                 : std::min(process.first_raw_ns, chunk.header.first_raw_ns);
    process.last_raw_ns = std::max(process.last_raw_ns, chunk.header.last_raw_ns);
    process.records += chunk.header.records;
  }
  for (const auto& [comm, facts] : comms.all()) process.communicators.push_back(facts);
  for (std::string& sentence : reader.damage_sentences()) damage->push_back(std::move(sentence));
  process.ended = reader.ended();
  process.recovered = reader.ledger().recovered;
  for (const auto& [key, count] : reader.ledger().losses) process.lost += count;
  const dumper::Ledger& ledger = reader.ledger();
  process.shed_from_raw_ns = ledger.shed_from_raw_ns;
  process.shed_to_raw_ns = ledger.shed_to_raw_ns;
  process.shed = shed_sentence(ledger, process.first_raw_ns);
  if (ledger.elapsed_ns != 0) {
    process.overhead_percent = 100.0 *
                               static_cast<double>(ledger.callbacks_ns + ledger.threads_ns) /
                               static_cast<double>(ledger.elapsed_ns);
  }
  process.memory_high_water_bytes = ledger.memory_high_water_bytes;
  process.most_waiting_bytes = ledger.most_waiting_bytes;
  process.state = state_of(process);
  return process;
}

void put_communicator(JsonFields* out, const dumper::CommFacts& comm, const SplitTree& tree) {
  out->object([&] {
    out->number("comm", comm.comm);
    out->number("id", comm.id);
    out->string("name", comm.name);
    out->number("rank", comm.rank);
    out->number("ranks", comm.ranks);
    out->number("nodes", comm.nodes);
    out->number("abi_version", comm.abi_version);
    const auto split = tree.splits().find(comm.id);
    if (split == tree.splits().end()) return;
    out->number("parent_id", split->second.parent_id);
    out->number("split_number", split->second.number);
    out->number("split_color", split->second.color);
  });
}

void put_memory(JsonFields* out, const ProcessSummary& process) {
  out->object("memory", [&] {
    out->number("high_water_bytes", process.memory_high_water_bytes);
    out->object("most_waiting_bytes", [&] {
      for (unsigned kind = 0; kind <= kKinds; ++kind) {
        const uint64_t bytes = process.most_waiting_bytes[kind];
        if (bytes != 0) out->number(kKindNames[kind], bytes);
      }
    });
  });
}

void put_process(JsonFields* out, const ProcessSummary& process, const SplitTree& tree) {
  out->object([&] {
    out->string("host", process.entry.host);
    out->number("pid", process.entry.pid);
    out->string("state", process.state);
    out->number("segments", process.entry.segments.size());
    out->number("bytes", process.bytes);
    out->number("chunks", process.chunks);
    out->number("records", process.records);
    out->number("lost", process.lost);
    if (process.shed_to_raw_ns != 0) {
      out->number("shed_from_raw_ns", process.shed_from_raw_ns);
      out->number("shed_to_raw_ns", process.shed_to_raw_ns);
    }
    if (process.overhead_percent >= 0) out->number("overhead_percent", process.overhead_percent);
    if (process.memory_high_water_bytes != 0) put_memory(out, process);
    out->number("first_raw_ns", process.first_raw_ns);
    out->number("last_raw_ns", process.last_raw_ns);
    out->list("communicators", process.communicators,
              [&](const dumper::CommFacts& comm) { put_communicator(out, comm, tree); });
    json::Document facts;
    // As written, when it is JSON at all: it came from a file.
    const bool known = parse_json(process.entry.facts_json, &facts);
    put_key(&out->writer(), "facts");
    known ? facts.Accept(out->writer()) : out->writer().Null();
  });
}

void put_difference(JsonFields* out, const RunSummary& run, const SettingDifference& difference) {
  out->object([&] {
    out->string("option", difference.option);
    out->list("values", difference.values, [&](const SettingValue& value) {
      out->object([&] {
        out->string("value", value.value);
        out->list("processes", value.processes, [&](size_t place) {
          out->object([&] {
            out->string("host", run.processes[place].entry.host);
            out->number("pid", run.processes[place].entry.pid);
          });
        });
      });
    });
  });
}

}  // namespace

std::string RunSummary::to_json() const {
  JsonFields out;
  out.object([&] {
    out.string("directory", directory);
    out.list("processes", processes,
             [&](const ProcessSummary& process) { put_process(&out, process, split_tree); });
    out.strings("arenas", arenas);
    out.strings("load_files", load_files);
    out.strings("damage", damage);
    out.list("different_settings", different_settings,
             [&](const SettingDifference& difference) { put_difference(&out, *this, difference); });
  });
  return std::string(out.text());
}

Result<RunSummary> describe_run(const std::string& directory) {
  auto run = dumper::RunDirectory::open(directory);
  if (!run.ok()) return run.status();
  RunSummary summary;
  summary.directory = directory;
  summary.arenas = std::move(run.value().arenas);
  summary.load_files = load_files(directory);
  summary.damage = run.value().damage_sentences();
  summary.mixed_jobs = dumper::mixed_jobs(run.value().processes);
  for (const dumper::ProcessEntry& process : run.value().processes) {
    summary.processes.push_back(describe_process(process, &summary.damage));
    std::vector<SplitComm> comms;
    for (const dumper::CommFacts& comm : summary.processes.back().communicators)
      comms.push_back({comm.id, comm.comm, comm.ranks});
    summary.split_tree.add(comms);
  }
  std::vector<Setting> settings;
  for (size_t i = 0; i < summary.processes.size(); ++i) {
    const dumper::ProcessFacts& facts = summary.processes[i].entry.facts;
    for (const dumper::OptionFact& fact : facts.options)
      settings.push_back({i, fact.name, fact.value});
    if (!facts.settings_digest.empty())
      settings.push_back({i, kSettingsDigest, facts.settings_digest});
  }
  summary.different_settings = compare_settings(settings);
  return summary;
}

}  // namespace lockstep::analysis
