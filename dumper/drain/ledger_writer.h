// What the dump thread tells of losses, calls and run-time changes: the arena's counts and the
// notes, as Ledger chunks when something is new and as the End chunk of a last round. Owned by
// whoever drains; add_note() by anybody.
#pragma once

#include <pthread.h>

#include <string>
#include <vector>

#include "dumper/drain/block_source.h"
#include "dumper/drain/overhead.h"
#include "dumper/drain/shed_watch.h"
#include "dumper/segment/segment_writer.h"

namespace lockstep::dumper {

class LedgerWriter {
 public:
  // `overhead` may be nullptr: not measured.
  LedgerWriter(BlockSource& source, SegmentWriter& writer, const Overhead* overhead);

  // Any thread: a sentence about a change at run time.
  void add_note(const std::string& note);
  // There were records since the last End chunk: the next last round writes one.
  void expect_end() { end_owed_ = true; }
  // In every round, also one that can write nothing. "" or a sentence for the log.
  std::string look_at_shedding();
  // What cannot be written stays news.
  Status write_news();
  Status write_end();
  // Of a process that exits while its threads go on: the End chunk is recovery's.
  Status write_exit();

 private:
  Ledger make_ledger();
  static uint64_t total_losses(const Ledger& ledger);
  bool is_news(const Ledger& ledger) const;
  void remember(const Ledger& ledger);

  BlockSource& source_;
  SegmentWriter& writer_;
  const Overhead* overhead_;
  ShedWatch shed_;
  uint64_t losses_told_ = 0;
  size_t notes_told_ = 0;
  bool end_owed_ = false;
  pthread_mutex_t notes_mutex_ = PTHREAD_MUTEX_INITIALIZER;
  std::vector<std::string> notes_;
};

}  // namespace lockstep::dumper
