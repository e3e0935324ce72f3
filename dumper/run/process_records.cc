#include "dumper/run/process_records.h"

namespace lockstep::dumper {
namespace {

// Without a word from the writer, a record may be this many chunks late.
constexpr size_t kWindowChunks = 16;
constexpr uint64_t kForever = ~uint64_t{0};

}  // namespace

ProcessRecords::ProcessRecords(const ProcessEntry& process) : ProcessRecords(process, RawSpan()) {}

ProcessRecords::ProcessRecords(const ProcessEntry& process, RawSpan span)
    : span_(span), reader_(process, span.options()), strings_(kFirstString + kMaxStrings) {}

const std::string& ProcessRecords::text(uint64_t number) const {
  static const std::string kNone;
  return number < strings_.size() ? strings_[number] : kNone;
}

void ProcessRecords::take(const std::shared_ptr<DecodedChunk>& chunk) {
  for (const auto& [number, text] : chunk->strings) strings_[number] = text;
  uint64_t latest = 0;
  for (const DecodedPiece& piece : chunk->pieces) {
    if (piece.records == 0) continue;
    Thread& thread = threads_[piece.tid];
    const uint64_t* at = chunk->words.data() + piece.first_word;
    if (thread.runs.empty()) heads_.push({ticks_of(*at), &thread});
    thread.runs.push_back({chunk, &piece, at, piece.records});
    latest = std::max(latest, ticks_of(*at));
  }
  if (chunk->complete_ticks > complete_ticks_) {
    complete_ticks_ = chunk->complete_ticks;
    window_.clear();
    return;
  }
  window_.push_back(latest);
  if (window_.size() <= kWindowChunks) return;
  complete_ticks_ = std::max(complete_ticks_, window_.front());
  window_.pop_front();
}

std::shared_ptr<DecodedChunk> ProcessRecords::spare_chunk() {
  for (const auto& chunk : chunks_) {
    if (chunk.use_count() == 1) return chunk;
  }
  return chunks_.emplace_back(std::make_shared<DecodedChunk>());
}

bool ProcessRecords::read_more() {
  if (exhausted_) return false;
  SegmentChunk& chunk = reading_;
  if (!reader_.next(&chunk)) {
    exhausted_ = true;
    complete_ticks_ = kForever;
    return true;
  }
  if (chunk.type == ChunkType::Records) {
    const auto taken = spare_chunk();
    std::swap(*taken, chunk.records);
    take(taken);
  }
  // A list that cannot be read costs names only.
  if (chunk.type == ChunkType::Comms) static_cast<void>(comms_.merge_json(chunk.text));
  return true;
}

// Makes the thread with the earliest record current, once no earlier one can come.
bool ProcessRecords::select() {
  if (current_ != nullptr && !current_->runs.empty())
    heads_.push({ticks_of(*current_->runs.front().at), current_});
  current_ = nullptr;
  while (heads_.empty() || heads_.top().ticks >= complete_ticks_) {
    if (!read_more()) {
      if (heads_.empty()) return false;
      break;
    }
  }
  current_ = heads_.top().thread;
  heads_.pop();
  current_until_ = std::min(complete_ticks_, heads_.empty() ? kForever : heads_.top().ticks);
  return true;
}

void ProcessRecords::learn(const uint64_t* words) {
  const unsigned name = LiveComms::name_in(words);
  comms_.apply(words, {{name, text(name)}});
}

bool ProcessRecords::next(TimedRecord* record) {
  do {
    if (!next_of_all(record)) return false;
  } while (record->raw_ns < span_.from_ns || record->raw_ns > span_.to_ns);
  return true;
}

bool ProcessRecords::next_of_all(TimedRecord* record) {
  const bool goes_on = current_ != nullptr && !current_->runs.empty() &&
                       ticks_of(*current_->runs.front().at) <= current_until_;
  if (!goes_on && !select()) return false;
  Run& run = current_->runs.front();
  record->words = run.at;
  record->tid = run.piece->tid;
  record->thread_name = &run.piece->thread_name;
  record->clock = &run.chunk->clock;
  record->raw_ns = run.chunk->clock.raw_ns(ticks_of(*run.at));
  if (run.chunk != held_) held_ = run.chunk;
  if (is_comm(record->tag())) learn(run.at);
  run.at += kRecordShapes[record->tag()].words;
  if (--run.left == 0) current_->runs.pop_front();
  return true;
}

}  // namespace lockstep::dumper
