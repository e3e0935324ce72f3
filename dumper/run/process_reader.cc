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

ProcessReader::ProcessReader(const ProcessEntry& process, SegmentReaderOptions options,
                             ProcessPlaces* places)
    : process_(process), options_(options), places_(places) {
  if (is_part())
    begin_part();
  else
    first_segment_ = first_kept_segment(process);
}

LastTotals ProcessReader::known_totals() const {
  if (places_ == nullptr) return last_totals(process_);
  if (!places_->totals) places_->totals = last_totals(process_);
  return *places_->totals;
}

void ProcessReader::begin_part() {
  LastTotals totals = known_totals();
  if (totals.ledger) {
    first_segment_ = totals.ledger->first_segment;
    ledger_ = std::move(*totals.ledger);
    ended_ = totals.ended;
  }
  size_t first = 0;
  while (first + 1 < process_.segments.size() && process_.segments[first].number < first_segment_)
    ++first;
  std::optional<ChunkPlace> known;
  if (places_ != nullptr) known = places_->place_of(options_.from_raw_ns);
  start_ = known ? *known : find_place(process_, first, options_.from_raw_ns);
  if (places_ != nullptr) places_->begin(start_);
  segment_ = start_.segment;
  left_out_ = start_.segment != first || start_.offset != 0;
  if (options_.from_raw_ns == 0) return;
  const LiveComms* comms = places_ == nullptr ? nullptr : places_->comms_at(start_);
  earlier_ = comms != nullptr ? std::make_unique<EarlierComms>(process_, start_, *comms)
                              : std::make_unique<EarlierComms>(process_, first, start_,
                                                               options_.used_comms_only);
}

const std::string& ProcessReader::path() const { return process_.segments[segment_ - 1].path; }

bool ProcessReader::open_next() {
  while (segment_ < process_.segments.size()) {
    const SegmentFile& segment = process_.segments[segment_++];
    if (segment.number < first_segment_) continue;
    auto reader = SegmentReader::open(segment.path, options_);
    if (reader.ok()) {
      reader_ = std::move(reader.value());
      if (start_.offset != 0 && segment_ == start_.segment + 1) {
        reader_->seek(start_.offset);
        sequence_known_ = false;
      }
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
  const bool from_the_beginning = start_.segment == 0 && start_.offset == 0;
  if (!sequence_known_ && first_segment_ == 0 && from_the_beginning) sequence_known_ = true;
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
  // A span's begins with the last one.
  if (is_part() && ledger.value().raw_ns < ledger_.raw_ns) return;
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

bool ProcessReader::next_whole(SegmentChunk* chunk) {
  for (;;) {
    if (reader_ == nullptr && !open_next()) return false;
    if (reader_->next(chunk)) {
      learn(*chunk);
      return true;
    }
    close_segment();
  }
}

void ProcessReader::note_place(const SegmentChunk& chunk, bool too_early) {
  if (places_ == nullptr) return;
  const size_t segment = segment_ - 1;
  if (too_early) {
    places_->left_out(chunk, segment);
  } else {
    places_->passed(chunk, segment, process_.segments[segment].writer == 0);
  }
}

// The chunk that says that all records of the span were in it or came before it is the last one.
bool ProcessReader::next_of_part(SegmentChunk* chunk) {
  while (!complete_ && next_whole(chunk)) {
    const bool too_early =
        chunk->type == ChunkType::Records && chunk->header.last_raw_ns < options_.from_raw_ns;
    note_place(*chunk, too_early);
    if (chunk->type != ChunkType::Records) return true;
    if (too_early) {
      const uint64_t end = chunk->offset + sizeof(ChunkHeader) + chunk->header.stored_bytes;
      if (earlier_ != nullptr) earlier_->pass({segment_ - 1, end});
      left_out_ = true;
      continue;
    }
    const DecodedChunk& records = chunk->records;
    complete_ = options_.decode_records && records.complete_ticks != 0 &&
                !records.clock.anchors().empty() &&
                records.clock.raw_ns(records.complete_ticks) > options_.to_raw_ns;
    if (chunk->header.first_raw_ns <= options_.to_raw_ns) return true;
  }
  return false;
}

bool ProcessReader::next(SegmentChunk* chunk) {
  if (!is_part()) return next_whole(chunk);
  if (holds_) {
    holds_ = false;
    std::swap(*chunk, held_);
    return true;
  }
  if (!next_of_part(chunk)) return false;
  if (earlier_ == nullptr || !earlier_->has_news_for(*chunk)) return true;
  holds_ = true;
  std::swap(*chunk, held_);
  chunk->header = {};
  chunk->type = ChunkType::Comms;
  chunk->text = earlier_->take_news();
  return true;
}

}  // namespace lockstep::dumper
