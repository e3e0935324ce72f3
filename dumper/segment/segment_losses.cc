// The half of SegmentWriter for segments that go: deleted for the disk budget, or removed by
// somebody.
#include "dumper/segment/guarded.h"
#include "dumper/segment/segment_writer.h"

namespace lockstep::dumper {

void SegmentWriter::account_dropped(const Counts& kept, const CallCounts& calls) {
  given_up_.make_room(kept);  // before anything changes: it throws when memory runs out
  given_up_.add(kept);
  for (unsigned i = 0; i < kCallCells; ++i) calls_given_up_[i] += calls[i];
  ledger_owed_ = true;
}

// Somebody removed the file, or the whole run directory with all segments: what they held is lost
// and counted; the next chunk begins anew.
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
