// Run directories for tests of the analysis: ranks written with RankRecords, loaded as users load
// them. Header only.
#pragma once

#include <gtest/gtest.h>

#include <map>

#include "analysis/load/run.h"
#include "dumper/segment/piece_cut.h"
#include "dumper/segment/process_facts.h"
#include "dumper/segment/segment_writer.h"
#include "test/drivers/common/rank_records.h"
#include "test/unit/durations.h"
#include "test/unit/temp_dir.h"

namespace lockstep::analysis {

class TestRun {
 public:
  const std::string& path() const { return directory_.path(); }

  // The proxy thread's records go into the file before the caller's, as they often do.
  void add(uint32_t pid, const driver::RankRecords& records) {
    add(pid, {&records.proxy, &records.user}, "test");
  }
  void add(uint32_t pid, std::vector<const std::vector<uint64_t>*> threads,
           const std::string& host) {
    dumper::SegmentWriterOptions where;
    where.directory = path();
    where.host = host;
    where.pid = pid;
    where.process_uid = pid;
    dumper::SegmentWriter writer(where, dumper::system_file_io());
    dumper::ProcessFacts facts;
    facts.host = host;
    facts.boot_id = "boot of " + host;
    facts.pid = pid;
    writer.set_facts(dumper::facts_to_json(facts));
    uint32_t tid = 1, block = 0;
    for (const auto* words : threads) {
      if (words->empty()) continue;
      const Anchor anchors[2] = {{0, 0, kRealNs, 0}, {end_ns, end_ns, kRealNs + end_ns, end_ns}};
      dumper::Piece piece;
      piece.words = words->data();
      piece.bytes = static_cast<uint32_t>(words->size() * 8);
      piece.tid = tid++;
      dumper::ChunkContext context;
      context.anchors = anchors;
      context.anchor_count = 2;
      context.strings = &strings;
      for (bool more = true; more;) {
        piece.block_sequence = ++block;
        piece.from_byte = 0;
        dumper::Piece first = piece, rest;
        more = dumper::cut_piece(piece, kMostOfChunk, &first, &rest);
        dumper::ChunkEncoder encoder;
        encoder.add(first);
        dumper::EncodedChunk chunk;
        EXPECT_TRUE(encoder.finish(context, &chunk).ok());
        EXPECT_TRUE(writer.append(&chunk).ok());
        piece = rest;
      }
    }
    dumper::Ledger ledger;
    ledger.raw_ns = end_ns;
    EXPECT_TRUE(writer.append_end(ledger).ok());
  }

  std::unique_ptr<RunTables> load() const {
    auto run = load_run(path(), {});
    EXPECT_TRUE(run.ok()) << run.message();
    return std::move(run.value());
  }

  driver::RankStrings strings;
  uint64_t end_ns = 20'000'000'000;  // the last sign of life of processes that are added

 private:
  static constexpr size_t kMostOfChunk = 500;  // records: no more than a block of memory holds
  static constexpr uint64_t kRealNs = 1'700'000'000'000'000'000;
  const TempDir directory_;
};

// Operation number i of a rank that calls `late_ns` after the others.
inline driver::RankOperation operation_at(unsigned i, uint64_t late_ns) {
  driver::RankOperation op;
  op.sequence = i;
  op.call_ns = 2'000 * kMs + i * 20 * kMs + late_ns;
  op.kernel_ns = op.call_ns + 10'000;
  op.finish_ns = 2'000 * kMs + i * 20 * kMs + 12 * kMs;
  return op;
}

}  // namespace lockstep::analysis
