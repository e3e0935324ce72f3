#include "analysis/inspect/cat_run.h"

#include <algorithm>
#include <deque>
#include <queue>

#include "analysis/inspect/record_json.h"

namespace lockstep::analysis {
namespace {

constexpr size_t kWriteBytes = 1 << 16;

struct Stream {
  explicit Stream(const dumper::ProcessEntry& entry)
      : records(entry), place{entry.host, entry.pid} {}
  dumper::ProcessRecords records;
  RecordPlace place;
  dumper::TimedRecord record;
};

struct Head {
  uint64_t time_ns;
  Stream* stream;
  bool operator<(const Head& other) const { return time_ns > other.time_ns; }
};

bool one_host(const std::vector<dumper::ProcessEntry>& processes) {
  return std::all_of(processes.begin(), processes.end(), [&](const dumper::ProcessEntry& process) {
    return process.facts.boot_id == processes[0].facts.boot_id;
  });
}

bool wanted(const Stream& stream, const CatOptions& options) {
  const dumper::TimedRecord& record = stream.record;
  if (options.kind >= 0) {
    if (record.tag() >= kCommInitTag) return false;
    const Kind kind = kind_of(EventRecord::read(record.words).id);
    if (static_cast<int>(kind) != options.kind) return false;
  }
  if (options.rank < 0) return true;
  const auto facts = stream.records.comms().all().find(comm_of_record(record));
  return facts != stream.records.comms().all().end() && facts->second.rank == options.rank;
}

}  // namespace

Result<std::vector<std::string>> cat_run(const std::string& directory, const CatOptions& options,
                                         const std::function<bool(const std::string&)>& write) {
  const auto run = dumper::RunDirectory::open(directory);
  if (!run.ok()) return run.status();
  const bool by_raw = one_host(run.value().processes);
  std::deque<Stream> streams;
  std::priority_queue<Head> heads;
  auto advance = [&](Stream* stream) {
    if (!stream->records.next(&stream->record)) return;
    const dumper::TimedRecord& record = stream->record;
    heads.push({by_raw ? record.raw_ns : record.clock->real_ns(ticks_of(record.words[0])), stream});
  };
  for (const dumper::ProcessEntry& process : run.value().processes)
    advance(&streams.emplace_back(process));
  std::string lines;
  uint64_t written = 0;
  while (!heads.empty() && (options.limit == 0 || written < options.limit)) {
    Stream* stream = heads.top().stream;
    heads.pop();
    if (wanted(*stream, options)) {
      append_record_json(stream->record, stream->records, stream->place, &lines);
      lines += '\n';
      ++written;
    }
    advance(stream);
    if (lines.size() < kWriteBytes) continue;
    const bool wants_more = write(lines);
    lines.clear();
    if (!wants_more) break;
  }
  if (!lines.empty()) write(lines);
  std::vector<std::string> damage = run.value().damage_sentences();
  for (const Stream& stream : streams) {
    for (std::string& sentence : stream.records.reader().damage_sentences())
      damage.push_back(std::move(sentence));
  }
  return damage;
}

}  // namespace lockstep::analysis
