// The one thread per process that turns blocks into segments. It drains full blocks and harvests
// open ones up to their watermark, encodes, writes, and only then gives blocks back, so that
// whatever the file does not hold is still in the arena. Started at the first enabled init, woken
// by the keeper, joined at the last finalize; while it does not run, finish() drains on the
// caller's thread. A disk that fails costs nothing but time: the chunk in hand is kept and tried
// again, blocks wait, and the buffer cap decides what is shed.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "dumper/chunk_codec.h"
#include "dumper/overhead.h"
#include "dumper/record_consumer.h"
#include "dumper/segment_writer.h"
#include "dumper/service_thread.h"
#include "dumper/waker.h"
#include "lockstep/shared_blocks.h"

namespace lockstep::dumper {

// The dump thread's view of the arena and the queues (plugin/recording.cc).
class BlockSource {
 public:
  virtual ~BlockSource() = default;
  virtual ArenaHeader* arena() = 0;
  virtual BlockHeader* next_full() = 0;
  // Of arena()->max_blocks; nullptr when it has no memory behind it.
  virtual BlockHeader* block(uint32_t index) = 0;
  virtual uint32_t index_of(const BlockHeader* block) = 0;
  // The block is empty and may be used again.
  virtual void recycle(BlockHeader* block) = 0;
  virtual Anchor anchor_now() = 0;
};

struct DumpOptions {
  SegmentWriterOptions segments;
  std::string facts;       // JSON of the Facts chunk
  std::string arena_path;  // told to recovery by a file beside the segments; "" = none
  int zstd_level = 1;
  const Overhead* overhead = nullptr;  // for the ledger; nullptr = not measured
};

class DumpThread {
 public:
  // Says a sentence to the log; called from the dump thread.
  using Log = void (*)(void* self, const std::string& sentence);

  DumpThread(BlockSource& source, const DumpOptions& options, Log log, void* log_self);

  // Before the first start(); must outlive the thread.
  void add_consumer(RecordConsumer* consumer) { consumers_.push_back(consumer); }
  bool start();
  void wake() { waker_.wake(); }
  // Joins the thread if it runs, then drains on this one and writes the final ledger. start() may
  // follow.
  void finish();
  // Any other thread: drains what is recorded by now. False when that takes longer than the limit.
  bool flush(uint64_t limit_us);
  // Any thread: a sentence about a change at run time, for this process's ledger.
  void add_note(const std::string& note);
  // Any thread: records written or about to be, and this thread's processor time.
  uint64_t records_taken() const { return records_taken_.load(std::memory_order_relaxed); }
  uint64_t cpu_ns() const { return cpu_ns_.load(std::memory_order_relaxed); }
  // After the last finish(): closes the segment; nothing is left for recovery.
  void close();

 private:
  struct OpenPiece {
    BlockHeader* block;
    uint64_t sequence;
    uint64_t published;
  };
  // What was taken from a block so far. Valid for one filling of it.
  struct Progress {
    uint64_t sequence = 0;
    uint32_t bytes = 0;
    std::unique_ptr<std::atomic<uint64_t>[]>
        calls_told;  // by a final ledger while the block stayed open
  };

  static void* run(void* self);
  void loop();
  bool drain(bool final);
  void list_open_blocks(bool final);
  void take(BlockHeader* block, uint64_t sequence, uint32_t until_byte, bool closes);
  const std::atomic<uint64_t>* calls_since_told(BlockHeader* block, Progress* progress);
  void name_thread(BlockHeader* block);
  bool write_chunk();
  bool append_pending();
  void give_back_closed();
  void write_ledger(bool final);
  bool collect_notes(Ledger* ledger);
  void round(bool final);
  void give_to_consumers(const Piece& piece);
  void end_round_of_consumers(bool final);
  void collect_anchors();
  void report(const Status& status);
  void tell_where_arena_is();

  BlockSource& source_;
  SegmentWriter writer_;
  Log log_;
  void* log_self_;
  int zstd_level_;
  const Overhead* overhead_;
  std::string arena_path_;
  std::string arena_file_;  // `<host>.<pid>.arena` in the run directory, once written
  Waker waker_;
  ServiceThread thread_;
  std::atomic<bool> stopping_{false};

  ChunkEncoder encoder_;
  EncodedChunk chunk_;
  bool pending_ = false;              // chunk_ is encoded and not yet in the file
  std::vector<Progress> progress_;    // by block index
  std::vector<OpenPiece> open_;       // of this drain
  std::vector<BlockHeader*> closed_;  // given back once chunk_ is in the file
  std::vector<std::unique_ptr<std::atomic<uint64_t>[]>>
      calls_delta_;  // alive until the encoder has finished
  std::vector<Anchor> anchors_;
  uint64_t anchors_seen_ = 0;
  uint64_t complete_ticks_ = 0;
  uint64_t losses_told_ = 0;
  std::vector<RecordConsumer*> consumers_;
  std::atomic<uint64_t> rounds_started_{0}, rounds_done_{0};  // done: the number of the last one
  std::atomic<uint64_t> records_taken_{0}, cpu_ns_{0};
  pthread_mutex_t notes_mutex_ = PTHREAD_MUTEX_INITIALIZER;
  std::vector<std::string> notes_;
  size_t notes_told_ = 0;
  bool news_since_end_ = false;
  bool failing_ = false;  // so that a full disk is reported once
};

}  // namespace lockstep::dumper
