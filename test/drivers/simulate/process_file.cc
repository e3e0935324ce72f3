#include "test/drivers/simulate/process_file.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <utility>

#include "lockstep/record_shape.h"

namespace lockstep::simulate {
namespace {

using AtomicCalls = std::atomic<uint64_t>[dumper::kCallCells];

void count(const uint64_t* at, const uint64_t* end, AtomicCalls* block, dumper::CallCounts* calls) {
  for (; at != end; at += kRecordShapes[tag_of(*at)].words) {
    const Tag tag = tag_of(*at);
    if (tag >= kCommInitTag) continue;
    const Call call = call_of(tag);
    const unsigned cell = dumper::call_cell(static_cast<unsigned>(kind_of(at[1])), call);
    (*block)[cell].fetch_add(1, std::memory_order_relaxed);
    ++(*calls)[cell];
  }
}

}  // namespace

// What one block of the plugin's would hold.
struct ProcessFileWriter::Block {
  const ProcessThread* thread;
  const uint64_t *begin, *end;
  uint64_t sequence = 0, previous = 0;
  uint64_t last_ticks = 0;
};

ProcessFileWriter::ProcessFileWriter(std::string directory, const dumper::StringSource& strings)
    : directory_(std::move(directory)), strings_(strings) {}

// Blocks of all threads in the order in which they were full: as the dump thread takes them.
std::vector<ProcessFileWriter::Block> ProcessFileWriter::cut(const ProcessRecords& process) const {
  std::vector<Block> blocks;
  for (const ProcessThread& thread : process.threads) {
    const uint64_t* at = thread.words->data();
    const uint64_t* const end = at + thread.words->size();
    while (at != end) {
      Block block{&thread, at, at};
      while (block.end != end) {
        const unsigned words = kRecordShapes[tag_of(*block.end)].words;
        if (static_cast<size_t>(block.end + words - at) * 8 > kBlockPayloadBytes) break;
        block.last_ticks = ticks_of(*block.end);
        block.end += words;
      }
      at = block.end;
      blocks.push_back(block);
    }
  }
  std::stable_sort(blocks.begin(), blocks.end(),
                   [](const Block& a, const Block& b) { return a.last_ticks < b.last_ticks; });
  uint64_t sequence = 0;
  std::map<const ProcessThread*, uint64_t> latest;
  for (Block& block : blocks) {
    block.sequence = ++sequence;
    block.previous = std::exchange(latest[block.thread], sequence);
  }
  return blocks;
}

Status ProcessFileWriter::write(const ProcessRecords& process, dumper::CallCounts* calls) {
  dumper::SegmentWriterOptions options;
  options.directory = directory_;
  options.host = process.facts.host;
  options.pid = process.facts.pid;
  options.process_uid = process.uid;
  options.created_real_ns = process.created_real_ns;
  options.writer = process.end == ProcessEnd::Recovered ? 1 : 0;
  dumper::SegmentWriter writer(options, dumper::system_file_io());
  writer.set_facts(dumper::facts_to_json(process.facts));
  dumper::ChunkContext context;
  context.anchors = process.anchors.data();
  context.anchor_count = process.anchors.size();
  context.strings = &strings_;
  const std::vector<Block> blocks = cut(process);
  for (size_t i = 0; i < blocks.size(); ++i) {
    const Block& block = blocks[i];
    AtomicCalls block_calls{};
    count(block.begin, block.end, &block_calls, calls);
    dumper::Piece piece;
    piece.words = block.begin;
    piece.bytes = static_cast<uint32_t>((block.end - block.begin) * 8);
    piece.tid = block.thread->tid;
    std::strncpy(piece.thread_name, block.thread->name, sizeof piece.thread_name - 1);
    piece.block_sequence = block.sequence;
    piece.previous_sequence = block.previous;
    piece.closes_block = true;
    piece.calls = block_calls;
    encoder_.add(piece);
    const bool last = i + 1 == blocks.size();
    if (!encoder_.full() && !last) continue;
    // Blocks come in the order of their last record: the rest may begin before this one ended.
    uint64_t complete = block.last_ticks + 1;
    for (size_t rest = i + 1; rest < blocks.size(); ++rest)
      complete = std::min(complete, ticks_of(*blocks[rest].begin));
    context.complete_ticks = complete;
    Status status = encoder_.finish(context, &chunk_);
    if (status.ok()) status = writer.append(&chunk_);
    if (!status.ok()) return status;
  }
  if (process.end == ProcessEnd::Running) return Status();
  dumper::Ledger ledger;
  ledger.raw_ns = process.anchors.back().raw_ns;
  if (process.end == ProcessEnd::Recovered) {
    ledger.recovered = true;
    ledger.notes.push_back("recovered after the process died; " +
                           std::to_string(process.threads.size()) + " threads had called");
  }
  return writer.append_end(ledger);
}

}  // namespace lockstep::simulate
