#include "dumper/run/chunk_search.h"

#include <algorithm>
#include <memory>

namespace lockstep::dumper {
namespace {

// Below this many bytes reading on is as cheap as looking for the place.
constexpr uint64_t kNear = 1 << 20;
// How far from a segment's end something is looked for that stands at its end.
constexpr uint64_t kTails[] = {256 << 10, 4 << 20, 64 << 20};
// The same of the last ledger, which is of the last second mostly, and the last one wherever reading begins.
constexpr uint64_t kLedgerTails[] = {32 << 10, 256 << 10, 4 << 20};
constexpr SegmentReaderOptions kHeadersOnly = {false};

class OpenSegment {
 public:
  explicit OpenSegment(const SegmentFile& file, SegmentReaderOptions options = {}) {
    auto opened = SegmentReader::open(file.path, options);
    if (opened.ok()) reader_ = std::move(opened.value());
  }
  uint64_t size() const { return reader_ == nullptr ? 0 : reader_->size(); }

  // The first Records chunk at or behind this byte; null when there is none.
  const SegmentChunk* records_at(uint64_t offset) {
    if (reader_ == nullptr || offset >= reader_->size()) return nullptr;
    reader_->seek(offset);
    while (reader_->next(&chunk_)) {
      if (chunk_.type == ChunkType::Records) return &chunk_;
    }
    return nullptr;
  }
  // Any chunk behind the last one.
  const SegmentChunk* next() { return reader_->next(&chunk_) ? &chunk_ : nullptr; }
  const SegmentChunk* first_at(uint64_t offset) {
    if (reader_ == nullptr) return nullptr;
    reader_->seek(offset);
    return next();
  }

 private:
  std::unique_ptr<SegmentReader> reader_;
  SegmentChunk chunk_;
};

// Whether this chunk and all before it hold nothing at or after the instant.
bool is_before(const SegmentChunk* chunk, uint64_t from_raw_ns) {
  return chunk != nullptr && !chunk->records.clock.anchors().empty() &&
         chunk->records.clock.anchors().back().raw_ns < from_raw_ns;
}

uint64_t end_of(const SegmentChunk& chunk) {
  return chunk.offset + sizeof(ChunkHeader) + chunk.header.stored_bytes;
}

bool begins_before(const SegmentFile& segment, uint64_t from_raw_ns) {
  OpenSegment open(segment);
  return is_before(open.records_at(0), from_raw_ns);
}

int64_t real_offset(const ChunkClock& clock, bool at_end) {
  if (clock.anchors().empty()) return 0;
  const Anchor& anchor = at_end ? clock.anchors().back() : clock.anchors().front();
  return static_cast<int64_t>(anchor.real_ns) - static_cast<int64_t>(anchor.raw_ns);
}

// Recovery also writes chunks that only count calls: they say nothing about time.
bool has_times(const SegmentChunk& chunk) {
  return chunk.type == ChunkType::Records && chunk.header.records != 0;
}

// Of the Records chunks at the end of a segment; false when it has none.
bool learn_end(const SegmentFile& segment, ProcessSpan* span) {
  OpenSegment open(segment, kHeadersOnly);
  std::optional<uint64_t> last;
  for (const uint64_t tail : kTails) {
    const uint64_t from = open.size() > tail ? open.size() - tail : 0;
    for (const SegmentChunk* chunk = open.first_at(from); chunk != nullptr; chunk = open.next()) {
      if (!has_times(*chunk) || chunk->header.last_raw_ns < span->last_raw_ns) continue;
      span->last_raw_ns = chunk->header.last_raw_ns;
      last = chunk->offset;
    }
    if (last || from == 0) break;
  }
  if (!last) return false;
  OpenSegment decoding(segment);
  const SegmentChunk* chunk = decoding.records_at(*last);
  if (chunk != nullptr) span->last_real_offset_ns = real_offset(chunk->records.clock, true);
  return chunk != nullptr;
}

}  // namespace

ChunkPlace find_place(const ProcessEntry& process, size_t first_segment, uint64_t from_raw_ns) {
  // What recovery wrote has no such order.
  const auto begin = process.segments.begin() + static_cast<ptrdiff_t>(first_segment);
  const auto end = std::find_if(begin, process.segments.end(),
                                [](const SegmentFile& file) { return file.writer != 0; });
  const auto after = std::partition_point(begin, end, [from_raw_ns](const SegmentFile& segment) {
    return begins_before(segment, from_raw_ns);
  });
  if (after == begin) return {first_segment, 0};
  ChunkPlace place{static_cast<size_t>(after - process.segments.begin()) - 1, 0};
  OpenSegment open(process.segments[place.segment]);
  uint64_t low = 0, high = open.size();
  while (low < high && high - low > kNear) {
    const uint64_t middle = low + (high - low) / 2;
    const SegmentChunk* chunk = open.records_at(middle);
    if (is_before(chunk, from_raw_ns)) {
      low = end_of(*chunk);
    } else {
      high = middle;
    }
  }
  place.offset = low;
  return place;
}

std::optional<ProcessSpan> span_of(const ProcessEntry& process) {
  ProcessSpan span;
  bool any = false;
  for (size_t i = 0; i < process.segments.size() && !any; ++i) {
    OpenSegment open(process.segments[i]);
    const SegmentChunk* first = open.records_at(0);
    while (first != nullptr && !has_times(*first)) first = open.next();
    any = first != nullptr;
    if (!any) continue;
    span.first_raw_ns = first->header.first_raw_ns;
    span.first_real_offset_ns = real_offset(first->records.clock, false);
  }
  if (!any) return std::nullopt;
  for (size_t i = process.segments.size(); i-- > 0;) {
    // What recovery wrote may be older than the end of what the process wrote.
    if (learn_end(process.segments[i], &span) && process.segments[i].writer == 0) break;
  }
  return span;
}

LastTotals last_totals(const ProcessEntry& process) {
  LastTotals totals;
  if (process.segments.empty()) return totals;
  OpenSegment open(process.segments.back(), kHeadersOnly);
  for (const uint64_t tail : kLedgerTails) {
    const uint64_t from = open.size() > tail ? open.size() - tail : 0;
    for (const SegmentChunk* chunk = open.first_at(from); chunk != nullptr; chunk = open.next()) {
      if (chunk->type != ChunkType::Ledger && chunk->type != ChunkType::End) continue;
      auto ledger = ledger_from_json(chunk->text);
      if (!ledger.ok()) continue;
      totals.ledger = std::move(ledger.value());
      totals.ended = chunk->type == ChunkType::End;
    }
    if (totals.ledger || from == 0) break;
  }
  return totals;
}

}  // namespace lockstep::dumper
