// The one thread per process that turns blocks into segments. It drains full blocks and harvests
// open ones up to their watermark, encodes, writes, and only then gives blocks back, so that
// whatever the file does not hold is still in the arena. Started at the first enabled init, woken
// by the keeper, joined at the last finalize; while it does not run, finish() drains on the
// caller's thread. A disk or a memory that fails costs nothing but time: the chunk in hand is kept
// and tried again, blocks wait, and the buffer cap decides what is shed. What cannot even be
// written at the end stays in the arena's file, for `lockstep recover`.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/thread.h"
#include "base/waker.h"
#include "dumper/drain/arena_pointer.h"
#include "dumper/drain/block_scan.h"
#include "dumper/drain/block_source.h"
#include "dumper/drain/chunk_in_hand.h"
#include "dumper/drain/disk_forecast.h"
#include "dumper/drain/ledger_writer.h"
#include "dumper/drain/record_consumer.h"
#include "dumper/segment/segment_writer.h"

namespace lockstep::dumper {

struct DumpOptions {
  SegmentWriterOptions segments;
  std::string facts;       // JSON of the Facts chunk
  std::string arena_path;  // told to recovery by a file beside the segments; "" = none
  std::string root;        // before /sys and /proc; empty but for tests
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
  // Before the last finish(), in a process that exits while its threads go on: they write into the
  // arena's file until they are gone. finish() writes a ledger instead of the final one, and close()
  // leaves the file's name to recovery.
  void leave_end_to_recovery() { end_left_to_recovery_ = true; }
  // Any other thread: until what is recorded by now is in the segments. False when that takes longer
  // than the limit, as it does where the disk is full.
  bool flush(uint64_t limit_us);
  // Any thread: the last round could not write everything; what came since is not even looked at.
  bool is_behind() const {
    const uint64_t done = rounds_done_.load(std::memory_order_acquire);
    return rounds_whole_.load(std::memory_order_acquire) < done;
  }
  // Any thread: a sentence about a change at run time, for this process's ledger.
  void add_note(const std::string& note) { ledger_.add_note(note); }
  // Any thread: records in the segments, and this thread's processor time.
  uint64_t records_written() const { return chunk_.records_written(); }
  uint64_t cpu_ns() const { return cpu_ns_.load(std::memory_order_relaxed); }
  // Any thread: as of the last round.
  struct Written {
    uint64_t bytes = 0, bytes_on_disk = 0, bytes_per_hour = 0;
    // CLOCK_MONOTONIC_RAW: every record of before is in the segments. 0: no round went through yet.
    uint64_t complete_raw_ns = 0;
  };
  Written written() const;
  // After the last finish(): closes the segment. "" when everything is in the segments, else why
  // not: then the arena's file must stay.
  std::string close();

 private:
  // What was taken from a block so far. Valid for one filling of it.
  struct Progress {
    uint64_t sequence = 0;
    uint32_t bytes = 0;
    // It came as full: what the same round had found in it while it was open tells nothing more.
    bool whole = false;
    ChunkInHand::Calls calls_told;  // by a last round while the block stayed open
  };

  static void* run(void* self);
  void loop();
  void add_driver_to_facts();
  void round(bool final);
  Status write_round(bool final);
  Status write_ledger(bool final);
  void tell_of_removed_segments();
  Status drain(bool final);
  bool wants_more(bool final, uint32_t new_blocks) const;
  void take(BlockHeader* block, uint64_t sequence, uint32_t until_byte, bool final);
  static ChunkInHand::Calls calls_since_told(const BlockHeader& block, const Progress& progress);
  static void name_thread(BlockHeader* block);
  void give_to_consumers(const Piece& piece);
  void end_round_of_consumers(bool final);
  void report(const Status& status);
  void publish_written();

  BlockSource& source_;
  SegmentWriter writer_;
  ChunkInHand chunk_;
  LedgerWriter ledger_;
  ArenaPointer arena_pointer_;
  std::string facts_, root_;
  bool driver_looked_up_ = false;
  Log log_;
  void* log_self_;
  Waker waker_;
  ServiceThread thread_;
  std::atomic<bool> stopping_{false};

  std::vector<Progress> progress_;    // by block index
  BlockScan scan_;                    // of this drain
  BlockHeader* next_full_ = nullptr;  // left the queue and is not taken yet
  uint64_t complete_ticks_ = 0;
  uint32_t removed_told_ = 0;
  std::vector<RecordConsumer*> consumers_;
  std::atomic<uint64_t> rounds_started_{0};
  std::atomic<uint64_t> rounds_done_{0}, rounds_whole_{0};  // the number of the last one
  std::atomic<uint64_t> cpu_ns_{0};
  DiskForecast forecast_;
  uint64_t complete_raw_ns_ = 0;
  std::atomic<uint64_t> bytes_written_{0}, bytes_on_disk_{0}, bytes_per_hour_{0};
  std::atomic<uint64_t> complete_told_raw_ns_{0};  // complete_raw_ns_, for others
  std::string failure_;                            // of the last round; empty: it went well
  bool behind_ = false;                            // it could not write everything
  bool end_left_to_recovery_ = false;
  uint64_t retry_ns_ = 0;
};

}  // namespace lockstep::dumper
