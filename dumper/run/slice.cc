#include "dumper/run/slice.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "base/text.h"
#include "dumper/segment/chunk_encode.h"
#include "dumper/segment/live_comms.h"
#include "dumper/segment/segment_writer.h"
#include "lockstep/record_fields.h"
#include "lockstep/record_shape.h"

namespace lockstep::dumper {
namespace {

std::string_view view(const std::vector<uint8_t>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The header of the first segment of a process that can be read.
SegmentHeader header_of(const ProcessEntry& process) {
  for (const SegmentFile& segment : process.segments) {
    const auto reader = SegmentReader::open(segment.path);
    if (reader.ok() && reader.value()->header().process_uid != 0) return reader.value()->header();
  }
  return {};
}

}  // namespace

class Slice::ReadFile {
 public:
  explicit ReadFile(const std::string& path)
      : path_(path), file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    ++count_;
  }
  ~ReadFile() {
    --count_;
    if (file_ >= 0) ::close(file_);
  }
  ReadFile(const ReadFile&) = delete;
  ReadFile& operator=(const ReadFile&) = delete;

  static int count() { return count_; }

  Status read(uint64_t offset, std::vector<uint8_t>* bytes) const {
    size_t done = 0;
    while (done < bytes->size()) {
      const ssize_t got = ::pread(file_, bytes->data() + done, bytes->size() - done,
                                  static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0)
        return Status::error(path_ + ": cannot read it: " +
                             (got == 0 ? "it is shorter than before" : std::strerror(errno)));
      done += static_cast<size_t>(got);
    }
    return Status();
  }

 private:
  const std::string path_;
  const int file_;
  static inline std::atomic<int> count_{0};
};

RawSpan with_margin(RawSpan span) {
  RawSpan wider = span;
  wider.from_ns = span.from_ns > kSpanMarginNs ? span.from_ns - kSpanMarginNs : 0;
  if (span.to_ns < ~uint64_t{0} - kSpanMarginNs) wider.to_ns += kSpanMarginNs;
  return wider;
}

Slice::Slice(const ProcessEntry& process, RawSpan span, uint32_t kinds)
    : kinds_(kinds), header_(header_of(process)) {
  KindFilter filter(kinds);
  ProcessReader reader(process, span.options());
  LiveComms comms;
  SegmentChunk chunk;
  while (reader.next(&chunk)) {
    // A list that cannot be read costs names only.
    if (chunk.type == ChunkType::Comms) static_cast<void>(comms.merge_json(chunk.text));
    if (chunk.type != ChunkType::Records) continue;
    look_into(chunk.records, process.pid);
    store(chunk, reader.path(), &filter);
  }
  for (const auto& [number, facts] : comms.all()) contents_.ranks.insert(int64_t{facts.rank});
  const SegmentFile& last = process.segments.back();
  header_.segment_number = last.number;
  header_.writer = last.writer;
  seal_header(&header_);
  name_ = base_name(last.path);
  add_facts(process);
  if (!comms.all().empty()) add_text(ChunkType::Comms, comms.to_json(), &before_);
  const ChunkType total = reader.ended() ? ChunkType::End : ChunkType::Ledger;
  if (reader.ledger().raw_ns != 0) add_text(total, ledger_to_json(reader.ledger()), &after_);
}

// Made twice, here for its length and by write() for its bytes: all of them would take memory.
void Slice::store(const SegmentChunk& chunk, const std::string& path, KindFilter* filter) {
  uint64_t bytes = sizeof(ChunkHeader) + uint64_t{chunk.header.stored_bytes};
  Stored stored{0, chunk.offset, bytes};
  if (!filter->passes_all()) {
    Bytes left;
    if (filter->filter(chunk.records, &left).ok()) bytes = left.size();
    if (bytes == 0) return;
  }
  if (paths_.empty() || paths_.back() != path) {
    paths_.push_back(path);
    const bool all_before = held_.size() + 1 == paths_.size();
    if (all_before && ReadFile::count() < kMostHeld)
      held_.push_back(std::make_shared<const ReadFile>(path));
  }
  stored.segment = paths_.size() - 1;
  stored_.push_back(stored);
  bytes_ += bytes;
}

void Slice::look_into(const DecodedChunk& records, uint32_t pid) {
  const uint64_t* at = records.words.data();
  const uint64_t* const end = at + records.words.size();
  int64_t last_rank = -1;
  for (; at != end; at += kRecordShapes[tag_of(*at)].words) {
    const Tag tag = tag_of(*at);
    if (tag == kCommInitTag) contents_.ranks.insert(int64_t{CommInitRecord::read(at).rank});
    if (!is_start(tag)) continue;
    const int64_t rank = StartRecord::read(at).event_rank;
    if (rank != last_rank) contents_.ranks.insert(last_rank = rank);
    const Kind kind = static_cast<Kind>(tag);
    contents_.has_pairs = contents_.has_pairs || kind == Kind::P2p || kind == Kind::P2pApi;
    if (kind == Kind::ProxyOp)
      contents_.has_foreign =
          contents_.has_foreign || static_cast<uint32_t>(ProxyOpRecord::read(at).pid) != pid;
  }
}

// What is left out counts as never recorded.
void Slice::add_facts(const ProcessEntry& process) {
  if (process.facts_json.empty()) return;
  ProcessFacts facts = process.facts;
  facts.activation_mask &= kinds_;
  add_text(ChunkType::Facts, kinds_ == kAllKinds ? process.facts_json : facts_to_json(facts),
           &before_);
}

void Slice::add_text(ChunkType type, const std::string& text, std::vector<Bytes>* chunks) {
  Bytes bytes;
  if (!encode_text(type, text, &bytes).ok())
    return;  // without memory for a few lines nothing works
  bytes_ += bytes.size();
  chunks->push_back(std::move(bytes));
}

Status Slice::write(const TakeBytes& take) const {
  const auto unwanted = [this] { return Status::error(name_ + ": its bytes are not wanted"); };
  uint32_t sequence = 0;
  const auto write_chunk = [&](Bytes bytes) {
    seal_chunk(sequence++, &bytes);
    return take(view(bytes));
  };
  if (!take({reinterpret_cast<const char*>(&header_), sizeof header_})) return unwanted();
  for (const Bytes& chunk : before_) {
    if (!write_chunk(chunk)) return unwanted();
  }
  KindFilter filter(kinds_);
  std::shared_ptr<const ReadFile> file;
  for (size_t i = 0; i < stored_.size(); ++i) {
    const Stored& stored = stored_[i];
    if (i == 0 || stored_[i - 1].segment != stored.segment)
      file = stored.segment < held_.size()
                 ? held_[stored.segment]
                 : std::make_shared<const ReadFile>(paths_[stored.segment]);
    Bytes bytes(stored.bytes);
    Status status = file->read(stored.offset, &bytes);
    if (status.ok() && !filter.passes_all()) status = filter.filter(&bytes);
    if (!status.ok()) return status;
    if (!write_chunk(std::move(bytes))) return unwanted();
  }
  for (const Bytes& chunk : after_) {
    if (!write_chunk(chunk)) return unwanted();
  }
  return Status();
}

}  // namespace lockstep::dumper
