#include "reader/merged_records.h"

#include <algorithm>

namespace lockstep::reader {
namespace {

bool one_host(const std::vector<dumper::ProcessEntry>& processes) {
  return std::all_of(processes.begin(), processes.end(), [&](const dumper::ProcessEntry& process) {
    return process.facts.boot_id == processes[0].facts.boot_id;
  });
}

}  // namespace

MergedRecords::MergedRecords(const dumper::RunDirectory& run,
                             const std::vector<dumper::RawSpan>& spans, size_t first, size_t count)
    : by_raw_(one_host(run.processes)) {
  for (size_t i = first; i < first + count; ++i)
    advance(&streams_.emplace_back(run.processes[i], spans[i], static_cast<uint32_t>(i)));
}

void MergedRecords::advance(Stream* stream) {
  dumper::TimedRecord* record = &stream->record;
  if (!stream->records.next(record)) return;
  const uint64_t ticks = ticks_of(record->words[0]);
  heads_.push({by_raw_ ? record->raw_ns : record->clock->real_ns(ticks), stream});
}

bool MergedRecords::next(Current* current) {
  if (handed_out_ != nullptr) advance(handed_out_);
  handed_out_ = nullptr;
  if (heads_.empty()) return false;
  handed_out_ = heads_.top().stream;
  heads_.pop();
  *current = {handed_out_->process, &handed_out_->records, &handed_out_->record};
  return true;
}

std::vector<PassedOver> MergedRecords::passed_over() const {
  std::vector<PassedOver> all;
  for (const Stream& stream : streams_) {
    const dumper::ProcessReader& reader = stream.records.reader();
    for (dumper::Damage& damage : reader.real_damage()) all.emplace_back(std::move(damage));
    if (reader.missing_chunks() != 0) all.emplace_back(reader.missing_sentence());
  }
  return all;
}

}  // namespace lockstep::reader
