// Appends chunks to a process's segment files so that a reader can open them at any moment, also
// after a SIGKILL. Owned by one thread: the dump thread, or recovery. A chunk is in the file whole
// or not at all: when the disk is full, over quota or gone, append() cuts back what it had written
// and says so, and works again once there is room (it makes a removed directory again);
// the same when memory runs out. A file that may grow no further (ulimit -f) is left, and the chunk
// goes into the next one; a chunk that no file takes is the caller's to make smaller. It deletes
// this process's oldest segments to stay below the disk budget and keeps the exact count of what
// they held. Never throws, never blocks on anything but the file system.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "dumper/segment/chunk_encode.h"
#include "dumper/segment/file_io.h"
#include "dumper/segment/ledger.h"
#include "dumper/segment/live_comms.h"
#include "lockstep/record_shape.h"

namespace lockstep::dumper {

// Completes a file's header: what it is a file of, and the checksum.
void seal_header(SegmentHeader* header);
// Fills in what a chunk's header lacks after encode_text(): its number and the checksum over all of it.
void seal_chunk(uint32_t sequence, std::vector<uint8_t>* chunk);

enum class SyncMode : uint8_t { None, Chunk, Interval };

struct SegmentWriterOptions {
  std::string directory;
  std::string host;
  uint32_t pid = 0;
  uint64_t process_uid = 0;
  uint64_t tick_base = 0;
  uint64_t created_real_ns = 0;  // SegmentHeader::created_real_ns; 0 = when each is made
  uint32_t writer = 0;           // SegmentHeader::writer
  uint32_t first_segment = 0;    // recovery continues the numbering
  uint32_t first_sequence = 0;   // of chunks, likewise
  uint64_t rotate_bytes = 0;     // 0 = one segment only
  uint64_t max_disk_bytes = 0;   // 0 = no budget
  SyncMode sync = SyncMode::None;
};

class SegmentWriter {
 public:
  SegmentWriter(SegmentWriterOptions options, FileIo* io);
  ~SegmentWriter();
  SegmentWriter(const SegmentWriter&) = delete;
  SegmentWriter& operator=(const SegmentWriter&) = delete;

  // The Facts chunk of this and every later segment (facts_to_json()).
  void set_facts(std::string json);
  // On error nothing of the chunk is in the file and the same call can be made again later.
  Status append(EncodedChunk* chunk);
  // Whether the last append() failed because not even a new file may grow that large.
  bool chunk_too_large() const { return file_full_ && file_ >= 0; }
  // Adds to the ledger what deleted and removed segments held.
  Status append_ledger(const Ledger& ledger) { return append_totals(ledger, ChunkType::Ledger); }
  Status append_end(const Ledger& ledger) { return append_totals(ledger, ChunkType::End); }
  // At the end of every dump interval: on disk now, when the sync mode says so. Also tells when
  // that failed for a chunk: the chunk is in the file all the same.
  Status sync();
  // Idempotent; a later append opens the next segment.
  void close();

  LiveComms& comms() { return comms_; }
  const std::string& path() const { return path_; }  // of the segment last opened, empty before
  uint64_t bytes_on_disk() const { return bytes_on_disk_; }
  uint64_t bytes_written() const { return bytes_written_; }  // in all, deleted segments' included
  uint32_t next_sequence() const { return sequence_; }
  uint32_t segments_deleted() const { return segments_deleted_; }  // for the disk budget
  uint32_t segments_removed() const { return segments_removed_; }  // by somebody else

 private:
  struct Segment {
    uint32_t number = 0;
    std::string path;
    uint64_t bytes = 0;
    uint64_t opener_bytes = 0;  // of them: header, facts and communicators
    CallCounts calls{};
    std::vector<uint8_t> kept;  // Counts::pack(), once it is closed
  };

  uint64_t rotate_at() const;
  bool is_full(size_t next_bytes) const;
  Status prepare(size_t next_bytes);
  void remember(const EncodedChunk& chunk);
  Status open_segment();
  Status create_file();
  Status write_openers();
  void put_away_counts();
  Status write_chunk(std::vector<uint8_t>* bytes);
  Status write_text(ChunkType type, const std::string& text);
  Status append_totals(const Ledger& ledger, ChunkType type);
  Status write_ledger(ChunkType type);
  template <typename F>
  Status in_a_file_with_room(F write);
  Status write_all(const void* bytes, size_t size);
  Status sync_file();
  void close_if_gone();
  void drop_earlier_segments();
  void keep_budget(size_t next_bytes);
  void account_dropped(const Counts& kept, const CallCounts& calls);
  Status failure(const std::string& path, const char* doing, int error) const;

  SegmentWriterOptions options_;
  FileIo* io_;
  int file_ = -1;
  std::string path_;
  std::string facts_;
  bool facts_owed_ = false;   // set_facts() came while a segment was open
  bool ledger_owed_ = false;  // something was given up since the last ledger
  bool file_full_ = false;    // the last write was refused: the file would become too large
  Status chunk_sync_;         // of the chunks since the last sync()
  uint32_t next_segment_, next_file_, sequence_;
  uint64_t bytes_on_disk_ = 0, bytes_written_ = 0;
  uint32_t segments_deleted_ = 0, segments_removed_ = 0;
  // The last is the open one, when file_ is open; earlier ones only with a budget.
  std::deque<Segment> segments_;
  Counts kept_;  // of the last
  struct {
    uint32_t count = 0;
    std::string last_path;
    CallCounts kept{}, calls{};
  } earlier_;  // without a budget: all before the open one
  LiveComms comms_;
  Ledger last_ledger_;  // as the caller gave it
  Counts given_up_;
  CallCounts calls_given_up_{};
  uint32_t first_kept_segment_ = 0;
};

}  // namespace lockstep::dumper
