// Two ways to get an event from NCCL's thread to the dump thread, measured side by side in one run:
// the plain one, a 64-byte record per enqueue into moodycamel's queue with a ProducerToken, and
// ours, records of a few words in a thread's own 64 KiB block that changes hands when it is full.
// Prints nanoseconds per record on the producer (one clock read included in both) and the rate at
// which the consumer empties it.
//
//   build/bench/queue_designs [RECORDS]
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "base/clock_ns.h"
#include "plugin/record/block_queue.h"
#include "plugin/record/tick_clock.h"

namespace {

using namespace lockstep;

struct Result {
  double producer_ns;  // per record
  double consumer_ns;
  uint64_t received;
  uint64_t sum;  // of a word of every record: the consumer must really look
};

double seconds_since(uint64_t ns) {
  return static_cast<double>(static_cast<uint64_t>(raw_now_ns()) - ns) / 1e9;
}

struct Record64 {
  uint64_t words[8];
};

Result plain(uint64_t records) {
  moodycamel::ConcurrentQueue<Record64> queue(records + 1024);
  const moodycamel::ProducerToken token(queue);
  moodycamel::ConsumerToken consumer(queue);
  Result result{};
  uint64_t begin = static_cast<uint64_t>(raw_now_ns());
  for (uint64_t i = 0; i < records; ++i) {
    Record64 r;
    r.words[0] = plugin::read_counter();
    for (unsigned w = 1; w < 8; ++w) r.words[w] = i;
    queue.enqueue(token, r);
  }
  result.producer_ns = seconds_since(begin) * 1e9 / static_cast<double>(records);
  begin = static_cast<uint64_t>(raw_now_ns());
  std::vector<Record64> batch(1024);
  uint64_t sum = 0;
  while (const size_t got = queue.try_dequeue_bulk(consumer, batch.data(), batch.size())) {
    for (size_t i = 0; i < got; ++i) sum += batch[i].words[1];
    result.received += got;
  }
  result.consumer_ns = seconds_since(begin) * 1e9 / static_cast<double>(records);
  result.sum = sum;
  return result;
}

// The record of a typical call, a state with its argument: three words.
constexpr unsigned kWords = 3;

Result blocks(uint64_t records) {
  const size_t per_block = kBlockPayloadBytes / (kWords * 8);
  const size_t count = records / per_block + 2;
  std::vector<char> memory((count + 1) * kBlockBytes);
  char* base =
      memory.data() + kBlockBytes - reinterpret_cast<uintptr_t>(memory.data()) % kBlockBytes;
  plugin::BlockQueue queue(count);
  for (size_t i = 0; i < count; ++i)
    if (!queue.push_reserved(reinterpret_cast<BlockHeader*>(base + i * kBlockBytes))) return {};
  auto* seat = queue.claim_seat();

  Result result{};
  uint64_t begin = static_cast<uint64_t>(raw_now_ns());
  BlockHeader* block = queue.pop_free(seat);
  char* cursor = reinterpret_cast<char*>(block) + sizeof(BlockHeader);
  uint32_t in_block = 0;
  for (uint64_t i = 0; i < records; ++i) {
    if (in_block == per_block) {
      queue.push_full(seat, block);
      block = queue.pop_free(seat);
      cursor = reinterpret_cast<char*>(block) + sizeof(BlockHeader);
      in_block = 0;
    }
    auto* words = reinterpret_cast<uint64_t*>(cursor);
    words[0] = plugin::read_counter();
    words[1] = words[2] = i;
    cursor += kWords * 8;
    block->published.store(pack_published(++in_block, 0), std::memory_order_release);
  }
  queue.push_full(seat, block);
  result.producer_ns = seconds_since(begin) * 1e9 / static_cast<double>(records);

  begin = static_cast<uint64_t>(raw_now_ns());
  uint64_t sum = 0;
  while (BlockHeader* full = queue.pop_full()) {
    const auto held = static_cast<uint32_t>(full->published.load(std::memory_order_acquire) >> 32);
    const auto* words =
        reinterpret_cast<const uint64_t*>(reinterpret_cast<char*>(full) + sizeof(BlockHeader));
    for (uint32_t i = 0; i < held; ++i) sum += words[i * kWords + 1];
    result.received += held;
  }
  result.consumer_ns = seconds_since(begin) * 1e9 / static_cast<double>(records);
  result.sum = sum;
  return result;
}

void print(const char* name, const Result& r) {
  std::printf("%-34s %8.1f %8.1f %12llu\n", name, r.producer_ns, r.consumer_ns,
              static_cast<unsigned long long>(r.received));
}

}  // namespace

int main(int argc, char** argv) {
  const uint64_t records = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 4000000;
  plain(records / 4);  // warm up the allocator for both
  const Result a = plain(records), b = blocks(records);
  std::printf("%-34s %8s %8s %12s\n", "ns per record", "produce", "consume", "received");
  print("64-byte record per enqueue", a);
  print("blocks of records", b);
  std::printf("blocks / enqueue: produce %.2f, consume %.2f\n", b.producer_ns / a.producer_ns,
              b.consumer_ns / a.consumer_ns);
  return a.received == records && b.received == records && a.sum == b.sum ? 0 : 1;
}
