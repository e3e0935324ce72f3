// What becomes of a chunk that no file may hold (ulimit -f): it is written in smaller ones.
#include "dumper/drain/dump_thread.h"
#include "dumper/drain/file_size_signal.h"
#include "dumper/run/process_reader.h"
#include "test/unit/dumper/drain/handmade_blocks.h"
#include "test/unit/dumper/segment/failing_io.h"
#include "test/unit/dumper/segment/file_size_limit.h"

namespace lockstep::dumper {
namespace {

constexpr unsigned kRecordsPerBlock = 4000, kBlocks = 8;

struct Written {
  uint64_t records = 0, calls = 0, missing = 0;
  size_t segments = 0, damage = 0;
  uint64_t next_byte = 0;  // of the last block, where its records are without a gap
};

Written read_back(const std::string& directory) {
  Written written;
  const auto run = RunDirectory::open(directory);
  EXPECT_TRUE(run.ok()) << run.message();
  if (!run.ok()) return written;
  const ProcessEntry& process = run.value().processes.at(0);
  ProcessReader reader(process, {});
  SegmentChunk chunk;
  uint64_t sequence = 0;
  while (reader.next(&chunk)) {
    if (chunk.type != ChunkType::Records) continue;
    written.records += chunk.header.records;
    for (uint64_t calls : chunk.records.calls) written.calls += calls;
    for (const DecodedPiece& piece : chunk.records.pieces) {
      if (piece.block_sequence != sequence) written.next_byte = 0;
      sequence = piece.block_sequence;
      EXPECT_EQ(piece.from_byte, written.next_byte);
      written.next_byte = piece.from_byte + piece.bytes;
    }
  }
  written.segments = process.segments.size();
  written.missing = reader.missing_chunks();
  written.damage = reader.damage().size();
  return written;
}

void expect_everything(const Written& written) {
  EXPECT_EQ(written.records, uint64_t{kBlocks} * kRecordsPerBlock);
  EXPECT_EQ(written.calls, uint64_t{kBlocks} * kRecordsPerBlock);
  EXPECT_EQ(written.next_byte, kRecordsPerBlock * 16u);
  EXPECT_EQ(written.missing, 0u);
  EXPECT_EQ(written.damage, 0u);
}

TEST(FileLimit, AChunkThatNoFileTakesIsWrittenInSmallerOnes) {
  for (const uint64_t limit : {60'000u, 10'000u, 2'000u}) {
    const TempDir directory;
    FailingIo io;
    io.file_limit = limit;
    HandmadeBlocks blocks(kBlocks);
    SegmentWriter writer(sample_options(directory.path()), &io);
    ChunkInHand chunk(blocks, writer, 1);
    for (unsigned i = 0; i < kBlocks; ++i) blocks.fill(kRecordsPerBlock);
    while (BlockHeader* block = blocks.next_full()) {
      Piece piece;
      piece.words = reinterpret_cast<const uint64_t*>(block + 1);
      piece.bytes = static_cast<uint32_t>(block->published);
      piece.tid = block->tid;
      piece.block_sequence = block->sequence;
      piece.previous_sequence = block->previous;
      piece.closes_block = true;
      auto calls = std::make_unique<std::atomic<uint64_t>[]>(kCallCells);
      for (unsigned cell = 0; cell < kCallCells; ++cell) calls[cell] = block->calls[cell].load();
      chunk.add(piece, std::move(calls), block);
    }

    const Status status = chunk.write(0);

    EXPECT_TRUE(status.ok()) << status.message();
    EXPECT_TRUE(chunk.empty());
    EXPECT_EQ(chunk.records_written(), uint64_t{kBlocks} * kRecordsPerBlock);
    EXPECT_EQ(blocks.recycled, kBlocks);
    const Written written = read_back(directory.path());
    EXPECT_GT(written.segments, 1u);
    expect_everything(written);
  }
}

TEST(FileLimit, SaysSoWhenNotEvenOneRecordFits) {
  const TempDir directory;
  FailingIo io;
  io.file_limit = sizeof(SegmentHeader) + 40;
  HandmadeBlocks blocks(1);
  SegmentWriter writer(sample_options(directory.path()), &io);
  ChunkInHand chunk(blocks, writer, 1);
  blocks.fill(100);
  Piece piece;
  piece.words = reinterpret_cast<const uint64_t*>(blocks.block(0) + 1);
  piece.bytes = 1600;
  piece.block_sequence = 1;
  chunk.add(piece, nullptr, blocks.block(0));

  const Status status = chunk.write(0);

  EXPECT_NE(status.message().find(": cannot write: File too large"), std::string::npos)
      << status.message();
  EXPECT_EQ(blocks.recycled, 0u);

  io.file_limit = 0;
  EXPECT_TRUE(chunk.write(0).ok());
  EXPECT_EQ(blocks.recycled, 1u);
  EXPECT_EQ(read_back(directory.path()).records, 100u);
}

// Blocks that the last round keeps are memory that the process cannot get back.
TEST(FileLimit, OneLastRoundGivesEveryBlockBack) {
  const TempDir directory;
  HandmadeBlocks blocks(kBlocks);
  for (unsigned i = 0; i < kBlocks; ++i) blocks.fill(kRecordsPerBlock);
  DumpOptions options;
  options.segments = sample_options(directory.path());
  std::string said;
  DumpThread dump(
      blocks, options,
      [](void* to, const std::string& sentence) { *static_cast<std::string*>(to) += sentence; },
      &said);
  {
    const FileSizeLimit limit(60'000);
    const NoFileSizeSignal quiet;
    dump.finish();
  }

  EXPECT_EQ(blocks.recycled, kBlocks);
  EXPECT_EQ(dump.close(), "");
  EXPECT_EQ(said, "");
  expect_everything(read_back(directory.path()));
}

}  // namespace
}  // namespace lockstep::dumper
