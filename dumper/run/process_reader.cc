#include "dumper/run/process_reader.h"

namespace lockstep::dumper {
namespace {

// Segments below this number were given up for the disk budget, or removed by somebody; one can
// still be there when the process was killed between counting it as lost and removing it. The last
// segment's ledger knows.
uint32_t first_kept_segment(const ProcessEntry& process) {
  if (process.segments.empty() || process.segments.back().number == 0) return 0;
  auto reader = SegmentReader::open(process.segments.back().path, {false});
  if (!reader.ok()) return 0;
  uint32_t first = 0;
  SegmentChunk chunk;
  while (reader.value()->next(&chunk)) {
    if (chunk.type != ChunkType::Ledger && chunk.type != ChunkType::End) continue;
    const auto ledger = ledger_from_json(chunk.text);
    if (ledger.ok()) first = std::max(first, ledger.value().first_segment);
  }
  return first;
}

}  // namespace

ProcessReader::ProcessReader(const ProcessEntry& process, SegmentReaderOptions options)
    : process_(process), options_(options), first_segment_(first_kept_segment(process)) {}

const std::string& ProcessReader::path() const { return process_.segments[segment_ - 1].path; }

bool ProcessReader::open_next() {
  while (segment_ < process_.segments.size()) {
    const SegmentFile& segment = process_.segments[segment_++];
    if (segment.number < first_segment_) continue;
    auto reader = SegmentReader::open(segment.path, options_);
    if (reader.ok()) {
      reader_ = std::move(reader.value());
      return true;
    }
    damage_.push_back(unreadable_file(segment, reader.status()));
  }
  return false;
}

void ProcessReader::close_segment() {
  damage_.insert(damage_.end(), reader_->damage().begin(), reader_->damage().end());
  unknown_chunks_ += reader_->unknown_chunks();
  reader_.reset();
}

void ProcessReader::learn(const SegmentChunk& chunk) {
  if (!sequence_known_ && first_segment_ == 0) sequence_known_ = true;
  if (sequence_known_ && chunk.header.sequence > expected_sequence_) {
    missing_chunks_ += chunk.header.sequence - expected_sequence_;
  }
  sequence_known_ = true;
  expected_sequence_ = uint64_t{chunk.header.sequence} + 1;
  if (chunk.type != ChunkType::Ledger && chunk.type != ChunkType::End) return;
  auto ledger = ledger_from_json(chunk.text);
  if (!ledger.ok()) {
    damage_.push_back({path(), chunk.offset, chunk.header.stored_bytes, ledger.message(), false});
    return;
  }
  ledger_ = std::move(ledger.value());
  ended_ = chunk.type == ChunkType::End;
}

bool ProcessReader::may_be_torn() const {
  return ledger_.recovered || process_.state() == ProcessState::Running;
}

std::vector<Damage> ProcessReader::real_damage() const {
  std::vector<Damage> real;
  const bool torn_is_harmless = may_be_torn();
  for (const Damage& damage : damage_) {
    if (!damage.torn_tail || !torn_is_harmless) real.push_back(damage);
  }
  return real;
}

std::string ProcessReader::missing_sentence() const {
  if (missing_chunks_ == 0) return {};
  return process_.host + " process " + std::to_string(process_.pid) + ": " +
         std::to_string(missing_chunks_) +
         " chunks are missing: damaged, or a segment file was removed";
}

std::vector<std::string> ProcessReader::damage_sentences() const {
  std::vector<std::string> sentences;
  for (const Damage& damage : real_damage()) sentences.push_back(to_sentence(damage));
  if (missing_chunks_ != 0) sentences.push_back(missing_sentence());
  return sentences;
}

std::vector<std::string> ProcessReader::harmless_tails() const {
  std::vector<std::string> sentences;
  if (!may_be_torn()) return sentences;
  for (const Damage& damage : damage_) {
    if (damage.torn_tail) sentences.push_back(to_sentence(damage));
  }
  return sentences;
}

bool ProcessReader::next(SegmentChunk* chunk) {
  for (;;) {
    if (reader_ == nullptr && !open_next()) return false;
    if (reader_->next(chunk)) {
      learn(*chunk);
      return true;
    }
    close_segment();
  }
}

}  // namespace lockstep::dumper
