#include "dumper/recovery/recovery.h"

#include <algorithm>
#include <cstring>

#include "dumper/run/known_comms.h"
#include "dumper/segment/piece_cut.h"

namespace lockstep::dumper {
namespace {

// No record has fewer than two words.
constexpr size_t kChunkBytes = size_t{kChunkTargetRecords} * 2 * sizeof(uint64_t);

void learn_piece(const DecodedPiece& piece, SegmentsTold* told) {
  SegmentsTold::Block& block = told->blocks[piece.block_sequence];
  block.bytes = std::max(block.bytes, piece.from_byte + piece.bytes);
  for (const auto& [cell, calls] : piece.calls) {
    block.calls[cell] += calls;
    told->calls[cell] += calls;
  }
  told->tids.insert(piece.tid);
}

void learn_chunk(const SegmentChunk& chunk, SegmentsTold* told) {
  told->next_sequence = std::max(told->next_sequence, chunk.header.sequence + 1);
  learn_comms(chunk, &told->comms);
  if (chunk.type != ChunkType::Records) return;
  told->kept.add(chunk.records.kept);
  for (const DecodedPiece& piece : chunk.records.pieces) learn_piece(piece, told);
}

bool is_sound(uint64_t loss_key) {
  return loss_key != 0 && loss_kind(loss_key) <= kKinds &&
         static_cast<unsigned>(loss_call(loss_key)) < kCalls &&
         static_cast<unsigned>(loss_why(loss_key)) < kLosses;
}

}  // namespace

SegmentsTold read_segments(const std::string& directory, uint64_t process_uid) {
  SegmentsTold told;
  const auto run = RunDirectory::open(directory);
  if (!run.ok()) return told;
  for (const ProcessEntry& process : run.value().processes) {
    if (process.uid != process_uid) continue;
    for (const SegmentFile& segment : process.segments) {
      told.next_segment = std::max(told.next_segment, segment.number + 1);
    }
    ProcessReader reader(process, {});
    SegmentChunk chunk;
    while (reader.next(&chunk)) learn_chunk(chunk, &told);
    told.ledger = reader.ledger();
    told.ended = reader.ended();
  }
  return told;
}

Recovery::Recovery(const ArenaFile& arena, const std::string& directory, SegmentsTold told)
    : arena_(arena),
      told_(std::move(told)),
      writer_(options(directory), system_file_io()),
      strings_(arena.header()),
      anchors_(arena.anchors()) {
  writer_.set_facts(arena.facts());
  writer_.comms() = told_.comms;
}

SegmentWriterOptions Recovery::options(const std::string& directory) const {
  SegmentWriterOptions options;
  options.directory = directory;
  options.host = arena_.host();
  options.pid = arena_.header().pid;
  options.process_uid = arena_.header().process_uid;
  options.tick_base = arena_.header().tick_base;
  options.writer = 1;
  options.first_segment = told_.next_segment;
  options.first_sequence = told_.next_sequence;
  options.sync = SyncMode::Interval;
  return options;
}

Status Recovery::run() {
  std::vector<ArenaBlock> blocks = arena_.blocks();
  for (ArenaBlock& block : blocks) {
    Status status = take(&block);
    if (!status.ok()) return status;
  }
  Status status = flush();
  if (!status.ok()) return status;
  const Ledger ledger = make_ledger();
  for (uint64_t calls : ledger.in_progress) in_progress_ += calls;
  const bool all_told = writer_.path().empty() && told_.ended &&
                        ledger.losses == told_.ledger.losses &&
                        ledger.calls_without_block == told_.ledger.calls_without_block;
  if (all_told) return Status();
  status = writer_.append_end(ledger);
  return status.ok() ? writer_.sync() : status;
}

// What the segments lack of this block: records, calls or both.
Status Recovery::take(ArenaBlock* block) {
  told_.tids.insert(block->tid);
  const SegmentsTold::Block& told = told_.blocks[block->sequence];
  auto calls = std::make_unique<std::atomic<uint64_t>[]>(kCallCells);
  bool news = block->bytes > told.bytes;
  for (unsigned cell = 0; cell < kCallCells; ++cell) {
    const auto before = told.calls.find(cell);
    const uint64_t had = before == told.calls.end() ? 0 : before->second;
    // Fewer than told: the dump thread was emptying the block when the process died.
    calls[cell] = block->calls[cell] > had ? block->calls[cell] - had : 0;
    told_.calls[cell] += calls[cell];
    news = news || calls[cell] != 0;
  }
  if (!news) return Status();
  if (!arena_.read_payload(block)) return Status::error(arena_.path() + ": cannot read a block");
  Piece piece;
  piece.from_byte = std::min(told.bytes, block->bytes);
  piece.words = block->payload.data() + piece.from_byte / sizeof(uint64_t);
  piece.bytes = block->bytes - piece.from_byte;
  piece.tid = block->tid;
  std::memcpy(piece.thread_name, block->thread_name, sizeof piece.thread_name);
  piece.block_sequence = block->sequence;
  piece.previous_sequence = block->previous;
  piece.closes_block = true;
  piece.calls = calls.get();
  bytes_ += piece.bytes;
  parts_.push_back({piece, std::move(block->payload), std::move(calls)});
  return bytes_ >= kChunkBytes ? flush() : Status();
}

Status Recovery::flush() {
  std::vector<Piece> pieces;
  for (const Part& part : parts_) pieces.push_back(part.piece);
  Status status = write(pieces.data(), pieces.size());
  parts_.clear();
  bytes_ = 0;
  return status;
}

// As one chunk, or as several where no file takes so large a one (ulimit -f).
Status Recovery::write(const Piece* pieces, size_t count) {
  if (count == 0) return Status();
  ChunkEncoder encoder;
  for (size_t i = 0; i < count; ++i) encoder.add(pieces[i]);
  const uint32_t records = encoder.records();
  ChunkContext context;
  context.anchors = anchors_.data();
  context.anchor_count = anchors_.size();
  context.strings = &strings_;
  EncodedChunk chunk;
  Status status = encoder.finish(context, &chunk);
  if (status.ok()) status = writer_.append(&chunk);
  if (!status.ok() && writer_.chunk_too_large()) {
    Piece cut[2];
    if (count > 1) return write_halves(pieces, count);
    if (records > 1 && cut_piece(*pieces, records / 2, &cut[0], &cut[1]))
      return write_halves(cut, 2);
  }
  if (!status.ok()) return status;
  told_.kept.add(chunk.kept);
  records_ += records;
  return status;
}

Status Recovery::write_halves(const Piece* pieces, size_t count) {
  Status status = write(pieces, count / 2);
  return status.ok() ? write(pieces + count / 2, count - count / 2) : status;
}

void Recovery::add_losses(Ledger* ledger) const {
  for (const auto& [key, count] : told_.ledger.losses) {
    if (loss_why(key) == Loss::Disk) ledger->losses[key] = count;
  }
  for (const LossEntry& entry : arena_.header().losses) {
    const uint64_t key = entry.key.load(std::memory_order_relaxed);
    const uint64_t count = entry.count.load(std::memory_order_relaxed);
    if (count != 0 && is_sound(key)) ledger->losses[key] += count;
  }
}

// Calls that entered and are neither recorded nor counted as lost: the process died inside them.
void Recovery::add_in_progress(Ledger* ledger) const {
  CallCounts known = told_.kept.by_call();
  for (const auto& [key, count] : ledger->losses)
    known[call_cell(loss_kind(key), loss_call(key))] += count;
  for (unsigned cell = 0; cell < kCallCells; ++cell) {
    const uint64_t calls =
        told_.calls[cell] + ledger->calls_without_block[cell] + ledger->calls_given_up[cell];
    if (calls > known[cell]) ledger->in_progress[cell] = calls - known[cell];
  }
}

Ledger Recovery::make_ledger() const {
  Ledger ledger = told_.ledger;  // its notes and costs, and what deleted segments held
  ledger.recovered = true;
  if (!anchors_.empty()) ledger.raw_ns = anchors_.back().raw_ns;
  ledger.losses.clear();
  ledger.in_progress = {};
  for (unsigned cell = 0; cell < kCallCells; ++cell) {
    if (const std::atomic<uint64_t>* calls = calls_without_block(arena_.header(), cell))
      ledger.calls_without_block[cell] = calls->load(std::memory_order_relaxed);
  }
  add_losses(&ledger);
  if (ledger.lost(Loss::Memory) != told_.ledger.lost(Loss::Memory)) {
    if (ledger.shed_to_raw_ns == 0) ledger.shed_from_raw_ns = told_.ledger.raw_ns;
    ledger.shed_to_raw_ns = ledger.raw_ns;
  }
  ledger.take_unknown(arena_.header());
  add_in_progress(&ledger);
  if (!told_.ledger.recovered) {
    const char* const end = ledger.exited ? "exited" : "died";
    ledger.notes.push_back(std::string("recovered after the process ") + end + "; " +
                           std::to_string(told_.tids.size()) + " threads had called");
  }
  return ledger;
}

}  // namespace lockstep::dumper
