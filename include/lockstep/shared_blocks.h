// The memory between NCCL's threads and the dump thread, laid out so that another process can read
// it after a SIGKILL. One mapping per process ("arena"): this header, then blocks. A block has one
// writer, the thread that took it; the writer publishes by storing `published` with release order
// after the record's words, so everything below it is whole at any moment. Written by plugin/, read
// by the dump thread, by `lockstep recover` and by the host's sampler. All fields little-endian,
// the host's own; a reader on another architecture must refuse (kArenaMagic).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "lockstep/event.h"

namespace lockstep {

constexpr uint64_t kArenaMagic = 0x314152414b434f4cULL;  // "LOCKARA1"
constexpr size_t kBlockBytes = size_t{64} * 1024;

// One reading of all clocks. ticks are since ArenaHeader::tick_base; the others are ns.
struct Anchor {
  uint64_t ticks;
  uint64_t raw_ns;   // CLOCK_MONOTONIC_RAW
  uint64_t real_ns;  // CLOCK_REALTIME
  uint64_t mono_ns;  // CLOCK_MONOTONIC
};

struct BlockHeader {
  // Records in the high 32 bits, bytes of records in the low 32: one store publishes both. Release
  // by the writer, acquire by readers.
  std::atomic<uint64_t> published;
  // Of this filling, unique in the process, counted from 1; 0 = free.
  std::atomic<uint64_t> sequence;
  // Sequence of the same thread's block before this one, 0 = its first.
  std::atomic<uint64_t> previous;
  std::atomic<uint32_t> tid;     // kernel thread id of the writer
  std::atomic<uint32_t> closed;  // 0, or one of kClosed below
  char thread_name[16];
  uint64_t reserved[2];
  // Calls that entered while this was the thread's block, whatever became of them: [kind][call],
  // plain single-writer counts. Summed over blocks they are the ledger's independent witness: calls
  // = kept + every loss.
  std::atomic<uint64_t> calls[kCountedKinds * kCalls];
  uint64_t reserved2[2];
};
static_assert(sizeof(BlockHeader) == 512, "a block's header is eight cache lines");
// The writer will write no more: the block is full, or its thread ended. Unqueued: there was no
// memory to tell the dump thread, which finds it when it looks through all blocks.
constexpr uint32_t kClosed = 1, kClosedUnqueued = 2;
constexpr size_t kBlockPayloadBytes = kBlockBytes - sizeof(BlockHeader);

constexpr uint64_t pack_published(uint32_t records, uint32_t bytes) {
  return uint64_t{records} << 32 | bytes;
}

// A count of calls that were not recorded. Claimed lock-free by key; see plugin/record/loss_table.h.
struct LossEntry {
  std::atomic<uint64_t> key;  // 0 = free; else make_loss_key()
  std::atomic<uint64_t> count;
};
constexpr uint64_t make_loss_key(uint32_t comm, unsigned kind, Call call, Loss why) {
  return uint64_t{1} << 63 | uint64_t{comm} << 16 | uint64_t{kind} << 8 |
         static_cast<uint64_t>(call) << 4 | static_cast<uint64_t>(why);
}
constexpr uint32_t loss_comm(uint64_t key) { return static_cast<uint32_t>(key >> 16) & kLastComm; }
constexpr unsigned loss_kind(uint64_t key) { return static_cast<unsigned>(key >> 8) & 31u; }
constexpr Call loss_call(uint64_t key) { return static_cast<Call>(key >> 4 & 15u); }
constexpr Loss loss_why(uint64_t key) { return static_cast<Loss>(key & 15u); }

// Strings by number. Number 0 is "NULL was passed"; number 1 stands for every string that did not
// fit.
struct StringEntry {
  std::atomic<uint32_t> ready;  // 1 once the bytes are there (release)
  uint32_t offset;              // into ArenaHeader::string_bytes
  uint32_t length;              // bytes, at most kMaxStringBytes
  uint32_t hash;
};
constexpr unsigned kMaxStrings = 4096;
constexpr unsigned kMaxStringBytes = 255;
constexpr unsigned kStringArenaBytes = 128 * 1024;
constexpr unsigned kNullString = 0, kOverflowString = 1, kFirstString = 2;

// Event types of one bit, by that bit, or states by their number; the last counts all others.
constexpr unsigned kUnknownNumbers = 65;
constexpr unsigned kLossEntries = 8192;
constexpr unsigned kArenaAnchors = 64;
constexpr size_t kPathBytes = 1024;

// The first bytes of the arena; blocks begin at the first multiple of kBlockBytes after it.
struct ArenaHeader {
  uint64_t magic;
  uint32_t version;  // 1
  uint32_t pid;
  uint64_t process_uid;    // random, names the process in every segment
  uint64_t process_start;  // /proc/PID/stat field 22, tells a reused pid
  uint64_t tick_base;      // raw counter value that ticks count from
  uint64_t created_real_ns;
  uint32_t max_blocks;
  uint32_t abi_version;  // of the bound profiler table, 0 before the first init
  char boot_id[40];
  char host[64];
  char run_dir[kPathBytes];     // absolute; segments are <host>.<pid>.<n>.lks there
  std::atomic<uint32_t> ended;  // 1 = everything was drained and the final ledger written
  // JSON text of the process facts chunk (trace_format.h), release.
  std::atomic<uint32_t> facts_bytes;
  char facts[16 * 1024];
  // anchors[n % kArenaAnchors] is the n-th; release after the slot is written.
  std::atomic<uint64_t> anchors_taken;
  Anchor anchors[kArenaAnchors];
  // Calls made by threads that had no block to count in: [kind][call]; marks have their place below.
  std::atomic<uint64_t> calls_without_block[(kKinds + 1) * kCalls];
  std::atomic<uint64_t> next_sequence;  // of blocks
  std::atomic<uint64_t> next_serial;    // of events, handed to threads in ranges
  std::atomic<uint32_t> next_comm;      // communicator numbers
  LossEntry losses[kLossEntries];
  std::atomic<uint64_t> strings_used;  // count << 32 | bytes
  StringEntry strings[kMaxStrings];
  char string_bytes[kStringArenaBytes];
  // Starts and states that the bound table does not have. At the end, where the memory files of
  // earlier builds hold zeros.
  std::atomic<uint64_t> unknown_kinds[kUnknownNumbers];
  std::atomic<uint64_t> unknown_states[kUnknownNumbers];
  // As calls_without_block, of kMarkKind. Behind those above for the same reason.
  std::atomic<uint64_t> marks_without_block;
  // Of the GPUs' kernel driver, which the dump thread looks up once it runs: bytes 0 until then, release.
  // Behind all others for the same reason.
  std::atomic<uint32_t> driver_version_bytes;
  char driver_version[60];
};

// One cell of [kind][call], wherever it is kept.
constexpr const std::atomic<uint64_t>* calls_without_block(const ArenaHeader& arena,
                                                           unsigned cell) {
  constexpr unsigned kMarkCell = kMarkKind * kCalls;
  if (cell < kMarkCell) return &arena.calls_without_block[cell];
  return cell == kMarkCell ? &arena.marks_without_block : nullptr;
}

constexpr size_t kFirstBlockOffset =
    (sizeof(ArenaHeader) + kBlockBytes - 1) / kBlockBytes * kBlockBytes;

static_assert(std::atomic<uint64_t>::is_always_lock_free,
              "the arena is shared with other processes");

}  // namespace lockstep
