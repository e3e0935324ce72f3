#include "dumper/segment/segment_writer.h"

#include <time.h>

#include <cerrno>
#include <cstring>
#include <new>

#include "base/clock_ns.h"
#include "dumper/segment/guarded.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace lockstep::dumper {
namespace {

constexpr uint64_t kLeastRotateBytes = uint64_t{64} * 1024;
// With a budget, this many segments share it, so that one deletion costs a part of the history
// only.
constexpr uint64_t kSegmentsInBudget = 4;
constexpr uint32_t kMaxTakenNames = 10'000;
// What a segment held is known by communicator, kind and call until it is certain that nobody asks.
// A segment ends at this many such counts, some 500 communicators, so that a process that makes
// them for weeks stays as small as it was: 512 KiB.
constexpr size_t kMostCounts = 8192;
constexpr size_t kMostComms = 1024;  // of those, ended ones are forgotten before a segment ends

}  // namespace

void seal_header(SegmentHeader* header) {
  std::memcpy(header->magic, kSegmentMagic, sizeof header->magic);
  header->version = kFormatVersion;
  header->features = kKnownFeatures;
  header->checksum = XXH3_64bits(header, offsetof(SegmentHeader, checksum));
}

void seal_chunk(uint32_t sequence, std::vector<uint8_t>* chunk) {
  ChunkHeader header;
  std::memcpy(&header, chunk->data(), sizeof header);
  header.sequence = sequence;
  header.checksum = 0;
  std::memcpy(chunk->data(), &header, sizeof header);
  header.checksum = XXH3_64bits(chunk->data(), chunk->size());
  std::memcpy(chunk->data(), &header, sizeof header);
}

SegmentWriter::SegmentWriter(SegmentWriterOptions options, FileIo* io)
    : options_(std::move(options)),
      io_(io),
      next_segment_(options_.first_segment),
      next_file_(options_.first_segment),
      sequence_(options_.first_sequence) {}

SegmentWriter::~SegmentWriter() { close(); }

Status SegmentWriter::failure(const std::string& path, const char* doing, int error) const {
  char buffer[128];
  return Status::error(path + ": cannot " + doing + ": " +
                       strerror_r(error, buffer, sizeof buffer));
}

uint64_t SegmentWriter::rotate_at() const {
  uint64_t bytes = options_.rotate_bytes == 0 ? ~uint64_t{0} : options_.rotate_bytes;
  if (options_.max_disk_bytes != 0)
    bytes = std::min(bytes, options_.max_disk_bytes / kSegmentsInBudget);
  return std::max(bytes, kLeastRotateBytes);
}

void SegmentWriter::set_facts(std::string json) {
  facts_ = std::move(json);
  facts_owed_ = file_ >= 0;
}

void SegmentWriter::close() {
  if (file_ < 0) return;
  if (options_.sync != SyncMode::None) io_->sync(file_);
  io_->close(file_);
  file_ = -1;
}

Status SegmentWriter::sync_file() {
  const int result = io_->sync(file_);
  return result < 0 ? failure(path_, "sync", -result) : Status();
}

Status SegmentWriter::sync() {
  if (file_ < 0 || options_.sync == SyncMode::None) return Status();
  Status status = sync_file();
  if (status.ok()) status = chunk_sync_;
  chunk_sync_ = Status();
  return status;
}

Status SegmentWriter::create_file() {
  for (uint32_t taken = 0; taken < kMaxTakenNames; ++taken, ++next_file_) {
    path_ = options_.directory + "/" + options_.host + "." + std::to_string(options_.pid) + "." +
            std::to_string(next_file_) + ".lks";
    int file = io_->create(path_.c_str());
    if (file == -ENOENT) {
      const int made = io_->make_directories(options_.directory);
      if (made < 0) return failure(options_.directory, "make the run directory", -made);
      file = io_->create(path_.c_str());
    }
    if (file == -EEXIST) continue;
    if (file < 0) return failure(path_, "create the segment", -file);
    file_ = file;
    ++next_file_;
    return Status();
  }
  return Status::error(
      path_ + ": this name and thousands before it are taken; give the run a directory of its own");
}

Status SegmentWriter::write_openers() {
  SegmentHeader header{};
  header.process_uid = options_.process_uid;
  header.segment_number = segments_.back().number;
  header.writer = options_.writer;
  header.created_real_ns = options_.created_real_ns != 0 ? options_.created_real_ns
                                                         : static_cast<uint64_t>(real_now_ns());
  header.tick_base = options_.tick_base;
  seal_header(&header);
  Status status = write_all(&header, sizeof header);
  if (status.ok() && !facts_.empty()) status = write_text(ChunkType::Facts, facts_);
  comms_.forget_finalized();
  if (status.ok() && !comms_.all().empty()) status = write_text(ChunkType::Comms, comms_.to_json());
  return status;
}

Status SegmentWriter::open_segment() {
  const uint32_t sequence_before = sequence_;
  segments_.emplace_back();
  segments_.back().number = next_segment_;
  Status status = guarded([&] {
    Status created = create_file();
    if (!created.ok()) return created;
    segments_.back().path = path_;
    return write_openers();
  });
  if (status.ok()) {
    ++next_segment_;
    facts_owed_ = false;
    segments_.back().opener_bytes = segments_.back().bytes;
    return status;
  }
  bytes_on_disk_ -= segments_.back().bytes;
  segments_.pop_back();
  if (file_ < 0) return status;
  io_->close(file_);
  io_->remove(path_.c_str());
  file_ = -1;
  --next_file_;
  sequence_ = sequence_before;
  return status;
}

bool SegmentWriter::is_full(size_t next_bytes) const {
  const Segment& segment = segments_.back();
  return segment.bytes + next_bytes > rotate_at() ||
         (options_.rotate_bytes != 0 && kept_.size() >= kMostCounts);
}

Status SegmentWriter::write_all(const void* bytes, size_t size) {
  Segment& segment = segments_.back();
  const auto* from = static_cast<const uint8_t*>(bytes);
  size_t done = 0;
  while (done < size) {
    const int64_t written = io_->write_at(file_, from + done, size - done, segment.bytes + done);
    if (written > 0) {
      done += static_cast<size_t>(written);
      continue;
    }
    // If cutting fails too, later chunks overwrite the half one from its start, and readers step
    // over a torn tail.
    if (done != 0) io_->truncate(file_, segment.bytes);
    file_full_ = written == -EFBIG;
    return failure(path_, "write", written == 0 ? EIO : static_cast<int>(-written));
  }
  segment.bytes += size;
  bytes_on_disk_ += size;
  bytes_written_ += size;
  return Status();
}

Status SegmentWriter::write_chunk(std::vector<uint8_t>* bytes) {
  seal_chunk(sequence_, bytes);
  Status status = write_all(bytes->data(), bytes->size());
  if (status.ok()) ++sequence_;
  return status;
}

Status SegmentWriter::write_text(ChunkType type, const std::string& text) {
  std::vector<uint8_t> bytes;
  Status status = encode_text(type, text, &bytes);
  return status.ok() ? write_chunk(&bytes) : status;
}

Status SegmentWriter::prepare(size_t next_bytes) {
  close_if_gone();
  if (file_ >= 0 && is_full(next_bytes)) close();
  if (file_ < 0) {
    put_away_counts();
    Status status = open_segment();
    if (!status.ok()) return status;
    // So that each segment tells what changed before it, a capture that is under way above all.
    if (!last_ledger_.notes.empty()) ledger_owed_ = true;
  }
  keep_budget(next_bytes);
  if (facts_owed_) {
    Status status = write_text(ChunkType::Facts, facts_);
    if (!status.ok()) return status;
    facts_owed_ = false;
  }
  return ledger_owed_ ? write_ledger(ChunkType::Ledger) : Status();
}

// When the open file may grow no further, once more in a new one: it has more room only if there was
// something in this one.
template <typename F>
Status SegmentWriter::in_a_file_with_room(F write) {
  file_full_ = false;
  Status status = guarded(write);
  if (status.ok() || !file_full_ || file_ < 0) return status;
  if (segments_.back().bytes == segments_.back().opener_bytes) return status;
  close();
  file_full_ = false;
  return guarded(write);
}

Status SegmentWriter::append(EncodedChunk* chunk) {
  return in_a_file_with_room([&] {
    Status status = prepare(chunk->bytes.size());
    if (!status.ok()) return status;
    kept_.make_room(chunk->kept);  // so that nothing fails once the chunk is there
    status = write_chunk(&chunk->bytes);
    if (status.ok()) remember(*chunk);
    return status;
  });
}

void SegmentWriter::remember(const EncodedChunk& chunk) {
  Segment& segment = segments_.back();
  kept_.add(chunk.kept);
  for (unsigned i = 0; i < kCallCells; ++i) segment.calls[i] += chunk.calls[i];
  try {
    const std::vector<uint64_t>& comms = chunk.comm_records;
    for (size_t at = 0; at < comms.size(); at += kRecordShapes[tag_of(comms[at])].words)
      comms_.apply(&comms[at], chunk.comm_names);
    if (comms_.all().size() > kMostComms) comms_.forget_finalized();
    if (options_.sync == SyncMode::Chunk && chunk_sync_.ok()) chunk_sync_ = sync_file();
  } catch (const std::bad_alloc&) {  // later segments do not repeat this communicator's facts
  }
}

Status SegmentWriter::append_totals(const Ledger& ledger, ChunkType type) {
  return in_a_file_with_room([&] {
    last_ledger_ = ledger;
    Status status = prepare(0);
    return status.ok() ? write_ledger(type) : status;
  });
}

// Below: segments that go, deleted for the disk budget or removed by somebody.

void SegmentWriter::account_dropped(const Counts& kept, const CallCounts& calls) {
  given_up_.make_room(kept);  // before anything changes: it throws when memory runs out
  given_up_.add(kept);
  for (unsigned i = 0; i < kCallCells; ++i) calls_given_up_[i] += calls[i];
  ledger_owed_ = true;
}

// Somebody removed the file, or the whole run directory with all segments: what they held is lost
// and counted; the next chunk starts a new one.
void SegmentWriter::close_if_gone() {
  if (file_ < 0 || !io_->nameless(file_)) return;
  for (size_t i = segments_.size(); i-- > 0;) {
    const Segment& segment = segments_[i];
    if (io_->exists(segment.path.c_str())) continue;
    Counts kept;
    kept.add_packed(segment.kept);
    const bool open = i + 1 == segments_.size() && !kept_.empty();
    account_dropped(open ? kept_ : kept, segment.calls);
    if (open) kept_.clear();
    bytes_on_disk_ -= segment.bytes;
    segments_.erase(segments_.begin() + static_cast<ptrdiff_t>(i));
    ++segments_removed_;
  }
  if (earlier_.count != 0 && !io_->exists(earlier_.last_path.c_str())) drop_earlier_segments();
  // A gap behind segments that are still there stays one that readers report.
  if (earlier_.count == 0)
    first_kept_segment_ = segments_.empty() ? next_segment_ : segments_.front().number;
  io_->close(file_);
  file_ = -1;
}

// Their communicators are not known any more: the losses go to the last number, as where there are
// too many (plugin/record/loss_table.h).
void SegmentWriter::drop_earlier_segments() {
  Counts kept;
  for (unsigned i = 0; i < kCallCells; ++i)
    kept.add(make_count_key(kLastComm, i / kCalls, static_cast<Call>(i % kCalls)),
             earlier_.kept[i]);
  account_dropped(kept, earlier_.calls);
  segments_removed_ += earlier_.count;
  earlier_ = {};
}

// Of the segment closed last. Without a budget it is never deleted, and only the sums are kept.
void SegmentWriter::put_away_counts() {
  if (segments_.empty()) return;
  Segment& last = segments_.back();
  if (options_.max_disk_bytes != 0) {
    if (!kept_.empty()) last.kept = kept_.pack();
  } else {
    const CallCounts kept = kept_.by_call();
    for (unsigned i = 0; i < kCallCells; ++i) {
      earlier_.kept[i] += kept[i];
      earlier_.calls[i] += last.calls[i];
    }
    ++earlier_.count;
    earlier_.last_path.swap(last.path);
    segments_.clear();
  }
  kept_.clear();
}

Status SegmentWriter::write_ledger(ChunkType type) {
  Status status = guarded([&] {
    Ledger ledger = last_ledger_;
    for (const auto& [key, count] : given_up_.sorted()) {
      ledger.add_loss(count_comm(key), count_kind(key), count_call(key), Loss::Disk, count);
    }
    for (unsigned i = 0; i < kCallCells; ++i) ledger.calls_given_up[i] += calls_given_up_[i];
    ledger.first_segment = std::max(ledger.first_segment, first_kept_segment_);
    return write_text(type, ledger_to_json(ledger));
  });
  if (status.ok()) ledger_owed_ = false;
  return status;
}

// The ledger that counts a segment as lost is written before the segment goes; readers leave
// segments below first_segment out, so that a kill in between counts nothing twice.
void SegmentWriter::keep_budget(size_t next_bytes) {
  if (options_.max_disk_bytes == 0) return;
  while (segments_.size() > 1 && bytes_on_disk_ + next_bytes > options_.max_disk_bytes) {
    const Segment& oldest = segments_.front();
    Counts kept;
    kept.add_packed(oldest.kept);
    account_dropped(kept, oldest.calls);
    first_kept_segment_ = oldest.number + 1;
    // When it cannot be written now it stays owed, and the deletion below makes the room.
    static_cast<void>(write_ledger(ChunkType::Ledger));
    io_->remove(oldest.path.c_str());
    bytes_on_disk_ -= oldest.bytes;
    ++segments_deleted_;
    segments_.pop_front();
  }
}

}  // namespace lockstep::dumper
