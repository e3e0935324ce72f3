#include "dumper/run/living_memory.h"

#include <cstring>
#include <utility>

#include "dumper/segment/arena_strings.h"
#include "dumper/segment/chunk_encode.h"

namespace lockstep::dumper {
namespace {

// As a chunk of a segment says it, so that readers know one form only. False: out of memory.
bool to_chunk(const Piece& piece, const ChunkContext& context, DecodedChunk* out) {
  ChunkEncoder encoder;
  encoder.add(piece);
  EncodedChunk encoded;
  if (!encoder.finish(context, &encoded).ok()) return false;
  ChunkHeader header;
  std::memcpy(&header, encoded.bytes.data(), sizeof header);
  ChunkDecoder decoder;
  return decoder.decode_records(header, encoded.bytes.data() + sizeof header, out).ok();
}

}  // namespace

std::unique_ptr<LivingMemory> LivingMemory::read(const FoundArena& found) {
  auto arena = ArenaFile::open(found.path);
  if (!arena.ok()) return nullptr;
  std::unique_ptr<LivingMemory> memory(new LivingMemory);
  memory->arena_ = std::move(arena.value());
  if (process_state(memory->arena_->process()) != ProcessState::Running) return nullptr;
  for (ArenaBlock& block : memory->arena_->blocks()) {
    // One that was emptied meanwhile is in a segment by now.
    if (memory->arena_->read_payload(&block) && memory->arena_->holds(block))
      memory->blocks_.push_back(std::move(block));
  }
  return memory->arena_->refresh() ? std::move(memory) : nullptr;
}

ProcessEntry LivingMemory::entry() const {
  ProcessEntry entry;
  entry.uid = process_uid();
  entry.host = arena_->host();
  entry.pid = arena_->header().pid;
  auto facts = facts_from_json(arena_->facts());
  if (!facts.ok()) return entry;
  entry.facts_json = arena_->facts();
  entry.facts = std::move(facts.value());
  return entry;
}

std::vector<DecodedChunk> LivingMemory::unwritten(const std::map<uint64_t, uint32_t>& told) const {
  const std::vector<Anchor> anchors = arena_->anchors();
  const ArenaStrings strings(arena_->header());
  ChunkContext context;
  context.anchors = anchors.data();
  context.anchor_count = anchors.size();
  context.strings = &strings;
  std::vector<DecodedChunk> chunks;
  for (const ArenaBlock& block : blocks_) {
    const auto known = told.find(block.sequence);
    const uint32_t from_byte = known == told.end() ? 0 : known->second;
    if (from_byte >= block.bytes) continue;
    Piece piece;
    piece.words = block.payload.data() + from_byte / sizeof(uint64_t);
    piece.bytes = block.bytes - from_byte;
    piece.from_byte = from_byte;
    piece.tid = block.tid;
    std::memcpy(piece.thread_name, block.thread_name, sizeof piece.thread_name);
    piece.block_sequence = block.sequence;
    piece.previous_sequence = block.previous;
    if (!to_chunk(piece, context, &chunks.emplace_back())) chunks.pop_back();
  }
  return chunks;
}

std::vector<std::unique_ptr<LivingMemory>> read_living(const std::string& run_directory) {
  std::vector<std::unique_ptr<LivingMemory>> living;
  for (const FoundArena& arena : find_arenas(run_directory)) {
    auto memory = LivingMemory::read(arena);
    if (memory != nullptr) living.push_back(std::move(memory));
  }
  return living;
}

}  // namespace lockstep::dumper
