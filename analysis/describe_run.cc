#include "analysis/describe_run.h"

#include <algorithm>

#include "dumper/json_reading.h"
#include "dumper/process_reader.h"
#include "lockstep/record_shape.h"

namespace lockstep::analysis {
namespace {

void learn_comms(const dumper::DecodedChunk& chunk, dumper::LiveComms* comms) {
  const uint64_t* at = chunk.words.data();
  const uint64_t* const end = at + chunk.words.size();
  for (; at != end; at += kRecordShapes[tag_of(*at)].words) {
    if (tag_of(*at) >= kCommInitTag) comms->apply(at, chunk.strings);
  }
}

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

ProcessSummary describe_process(const dumper::ProcessEntry& entry) {
  ProcessSummary process;
  process.entry = entry;
  for (const dumper::SegmentFile& segment : entry.segments) process.bytes += segment.bytes;
  dumper::LiveComms comms;
  dumper::ProcessReader reader(entry, {});
  dumper::SegmentChunk chunk;
  while (reader.next(&chunk)) {
    ++process.chunks;
    if (chunk.type == ChunkType::Comms) static_cast<void>(comms.merge_json(chunk.text));
    if (chunk.type != ChunkType::Records || chunk.header.records == 0) continue;
    learn_comms(chunk.records, &comms);
    const bool first = process.records == 0;
    process.first_raw_ns = first ? chunk.header.first_raw_ns
                                 : std::min(process.first_raw_ns, chunk.header.first_raw_ns);
    process.last_raw_ns = std::max(process.last_raw_ns, chunk.header.last_raw_ns);
    process.records += chunk.header.records;
  }
  for (const auto& [comm, facts] : comms.all()) process.communicators.push_back(facts);
  process.ended = reader.ended();
  process.recovered = reader.ledger().recovered;
  for (const auto& [key, count] : reader.ledger().losses) process.lost += count;
  const dumper::Ledger& ledger = reader.ledger();
  if (ledger.elapsed_ns != 0) {
    process.overhead_percent = 100.0 *
                               static_cast<double>(ledger.callbacks_ns + ledger.threads_ns) /
                               static_cast<double>(ledger.elapsed_ns);
  }
  process.state = state_of(process);
  return process;
}

void put_process(dumper::JsonWriter* out, const ProcessSummary& process) {
  out->StartObject();
  dumper::put_text(out, "host", process.entry.host);
  dumper::put_uint(out, "pid", process.entry.pid);
  dumper::put_text(out, "state", process.state);
  dumper::put_uint(out, "segments", process.entry.segments.size());
  dumper::put_uint(out, "bytes", process.bytes);
  dumper::put_uint(out, "chunks", process.chunks);
  dumper::put_uint(out, "records", process.records);
  dumper::put_uint(out, "lost", process.lost);
  if (process.overhead_percent >= 0) {
    out->Key("overhead_percent");
    out->Double(process.overhead_percent);
  }
  dumper::put_uint(out, "first_raw_ns", process.first_raw_ns);
  dumper::put_uint(out, "last_raw_ns", process.last_raw_ns);
  dumper::put_key(out, "communicators");
  out->StartArray();
  for (const dumper::CommFacts& comm : process.communicators) {
    out->StartObject();
    dumper::put_uint(out, "comm", comm.comm);
    dumper::put_uint(out, "id", comm.id);
    dumper::put_text(out, "name", comm.name);
    dumper::put_uint(out, "rank", comm.rank);
    dumper::put_uint(out, "ranks", comm.ranks);
    dumper::put_uint(out, "nodes", comm.nodes);
    dumper::put_uint(out, "abi_version", comm.abi_version);
    out->EndObject();
  }
  out->EndArray();
  dumper::put_key(out, "facts");
  dumper::json::Document facts;
  // As written, when it is JSON at all: it came from a file.
  if (dumper::parse_json(process.entry.facts_json, &facts)) {
    facts.Accept(*out);
  } else {
    out->Null();
  }
  out->EndObject();
}

}  // namespace

std::string RunSummary::to_json() const {
  dumper::json::StringBuffer text;
  dumper::JsonWriter out(text);
  out.StartObject();
  dumper::put_text(&out, "directory", directory);
  dumper::put_key(&out, "processes");
  out.StartArray();
  for (const ProcessSummary& process : processes) put_process(&out, process);
  out.EndArray();
  dumper::put_key(&out, "arenas");
  out.StartArray();
  for (const std::string& arena : arenas)
    out.String(arena.data(), static_cast<dumper::json::SizeType>(arena.size()));
  out.EndArray();
  out.EndObject();
  return text.GetString();
}

Result<RunSummary> describe_run(const std::string& directory) {
  auto run = dumper::RunDirectory::open(directory);
  if (!run.ok()) return run.status();
  RunSummary summary;
  summary.directory = directory;
  summary.arenas = std::move(run.value().arenas);
  for (const dumper::ProcessEntry& process : run.value().processes) {
    summary.processes.push_back(describe_process(process));
  }
  return summary;
}

}  // namespace lockstep::analysis
