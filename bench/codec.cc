// How fast records become segments and come back, on one core, and how many bytes they take: a
// stream of proxy steps and a stream of operations with their API calls and two kernel channels.
// Times jitter the way threads do (log-normal gaps, passes over many connections, pauses), because
// constant gaps would compress to nothing. Speed counts this thread's CPU time; usage: bench/codec
// [DIRECTORY [MILLIONS]], the directory is where segments go (removed after).
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "dumper/run/process_records.h"
#include "dumper/segment/segment_writer.h"

namespace lockstep::dumper {
namespace {

constexpr double kTicksPerNs = 2.5;
constexpr size_t kBlockWords = kBlockPayloadBytes / sizeof(uint64_t);

struct Block {
  std::vector<uint64_t> words;
  uint32_t tid;
};

// One thread of the simulated process: its clock and its block.
class Writer {
 public:
  Writer(uint32_t tid, std::vector<Block>* blocks, std::mt19937_64* random)
      : tid_(tid), blocks_(blocks), random_(random) {}

  void pass(double median_ns) {
    std::lognormal_distribution<double> gap(std::log(median_ns), 0.5);
    ticks_ += static_cast<uint64_t>(gap(*random_) * kTicksPerNs);
  }
  void add(Tag tag, std::initializer_list<uint64_t> words) {
    if (open_.size() + kMaxWords > kBlockWords) flush();
    open_.push_back(make_word0(tag, ticks_));
    open_.insert(open_.end(), words);
    ++records;
  }
  void flush() {
    blocks_->push_back({std::move(open_), tid_});
    open_.clear();
    open_.reserve(kBlockWords);
  }
  void at_least(uint64_t ticks) { ticks_ = std::max(ticks_, ticks); }
  uint64_t ticks() const { return ticks_; }
  uint64_t records = 0;

 private:
  uint32_t tid_;
  std::vector<Block>* blocks_;
  std::mt19937_64* random_;
  std::vector<uint64_t> open_;
  uint64_t ticks_ = 1'000'000;
};

struct Stream {
  std::vector<Block> blocks;
  uint64_t records = 0, operations = 0;
};

// One proxy thread over 16 connections (8 channels, send and receive), as NCCL's progress loop
// visits them: each visit advances a connection's step by one state with some luck.
Stream step_stream(uint64_t records) {
  Stream stream;
  std::mt19937_64 random(1);
  Writer proxy(11, &stream.blocks, &random);
  struct Connection {
    EventId op = 0, step = 0;
    unsigned state = 0, number = 0;
  } connections[16];
  uint64_t serial = 1;
  while (proxy.records < records) {
    proxy.pass(400);  // polling that recorded nothing
    if (random() % 5000 == 0) proxy.pass(80'000);
    for (unsigned c = 0; c < 16; ++c) {
      Connection& at = connections[c];
      if (random() % 3 != 0) continue;
      const bool send = (c & 1) == 0;
      proxy.pass(70);
      switch (at.state++) {
        case 0:
          if (at.number % 64 == 0) at.op = make_event_id(Kind::ProxyOp, 1, serial++);
          at.step = make_event_id(Kind::ProxyStep, 1, serial++);
          proxy.add(start_tag(Kind::ProxyStep),
                    {at.step, at.op, uint64_t{3} | uint64_t{at.number % 64} << 32});
          at.number++;
          break;
        case 1:
          send ? proxy.add(state_tag(kSendGpuWait), {at.step})
               : proxy.add(state_tag(kRecvWait), {at.step});
          break;
        case 2:
          send ? proxy.add(state_tag(kSendPeerWait), {at.step})
               : proxy.add(state_tag(kRecvFlushWait),
                           {at.step, at.number % 64 == 0 ? 131072u : 524288u});
          break;
        case 3:
          send ? proxy.add(state_tag(kSendWait), {at.step, at.number % 64 == 0 ? 131072u : 524288u})
               : proxy.add(state_tag(kRecvGpuWait), {at.step});
          break;
        default:
          proxy.add(stop_tag(Kind::ProxyStep), {at.step});
          at.state = 0;
      }
    }
  }
  proxy.flush();
  stream.records = proxy.records;
  return stream;
}

// One user thread that calls all-reduces of six sizes on two communicators, and the proxy thread
// that reports both kernel channels of each: 18 records an operation.
Stream operation_stream(uint64_t operations) {
  Stream stream;
  std::mt19937_64 random(2);
  Writer user(21, &stream.blocks, &random), proxy(22, &stream.blocks, &random);
  std::lognormal_distribution<double> kernel_ns(std::log(60'000), 0.3);
  uint64_t user_serial = 1, proxy_serial = 1u << 20, gpu_ns = 1'700'000'000'000'000'000;
  uint64_t sequence[3] = {};
  for (uint64_t i = 0; i < operations; ++i) {
    const uint32_t comm = 1 + static_cast<uint32_t>(i % 8 == 0);
    const uint64_t rank = comm == 1 ? 3 : 1, count = uint64_t{1} << (10 + 2 * (i % 6)),
                   buffer = 0x7f0000000000 + i % 6 * 0x200000;
    auto id = [&](Kind kind) { return make_event_id(kind, comm, user_serial++); };
    const EventId group_api = id(Kind::GroupApi), coll_api = id(Kind::CollApi),
                  launch = id(Kind::KernelLaunch), group = id(Kind::Group), coll = id(Kind::Coll);
    user.pass(9'000);
    user.add(start_tag(Kind::GroupApi), {group_api, 0, rank | uint64_t{1} << 32});
    user.pass(60);
    user.add(state_tag(kGroupStartApiStop), {group_api});
    user.pass(150);
    user.add(start_tag(Kind::CollApi),
             {coll_api, group_api, rank, count, 2 | 3 << 16, 0x5581234, 0});
    user.pass(300);
    user.add(stop_tag(Kind::CollApi), {coll_api});
    user.pass(80);
    user.add(state_tag(kGroupEndApiStart), {group_api});
    user.pass(2'500);
    user.add(start_tag(Kind::KernelLaunch), {launch, group_api, rank, 0x5581234});
    user.pass(4'000);
    user.add(stop_tag(Kind::KernelLaunch), {launch});
    user.pass(300);
    user.add(start_tag(Kind::Group), {group, 0, rank});
    user.pass(60);
    user.add(start_tag(Kind::Coll),
             {coll, coll_api, rank | uint64_t{2} << 32 | uint64_t{16} << 40, group,
              sequence[comm]++, count, buffer, buffer + 0x40000000,
              2 | 3 << 16 | uint64_t{4} << 32 | uint64_t{5} << 48, 0, 0, 0, 0});
    user.pass(900);
    user.add(stop_tag(Kind::Coll), {coll});
    user.pass(50);
    user.add(stop_tag(Kind::Group), {group});
    user.pass(60);
    user.add(stop_tag(Kind::GroupApi), {group_api});

    proxy.at_least(user.ticks());
    gpu_ns += 5'000 + random() % 20'000;
    EventId channel[2];
    for (uint64_t c = 0; c < 2; ++c) {
      proxy.pass(500);
      channel[c] = make_event_id(Kind::KernelCh, comm, proxy_serial++);
      proxy.add(start_tag(Kind::KernelCh),
                {channel[c], coll, rank | c << 32, (gpu_ns + random() % 1'500) / 32 * 32});
    }
    gpu_ns += static_cast<uint64_t>(kernel_ns(random));
    for (uint64_t c = 0; c < 2; ++c) {
      proxy.pass(c == 0 ? 40'000 : 500);
      proxy.add(state_tag(kKernelChStop), {channel[c], (gpu_ns + random() % 1'500) / 32 * 32});
      proxy.pass(50);
      proxy.add(stop_tag(Kind::KernelCh), {channel[c]});
    }
    user.at_least(proxy.ticks() > 1'000'000 ? proxy.ticks() - 1'000'000 : 0);
  }
  user.flush();
  proxy.flush();
  stream.records = user.records + proxy.records;
  stream.operations = operations;
  return stream;
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Encodes, compresses and writes every block as the dump thread does; CPU seconds, and the bytes on
// disk.
double write_stream(const Stream& stream, const std::string& directory, unsigned repeats,
                    uint64_t* bytes) {
  SegmentWriterOptions options;
  options.directory = directory;
  options.host = "bench";
  options.process_uid = 1;
  SegmentWriter writer(options, system_file_io());
  ChunkEncoder encoder;
  EncodedChunk chunk;
  const Anchor anchors[] = {{0, 0, 0, 0},
                            {2'500'000'000, 1'000'000'000, 1'000'000'000, 1'000'000'000}};
  uint64_t sequence = 1;
  const double before = cpu_seconds();
  auto flush = [&] {
    ChunkContext context;
    context.anchors = anchors;
    context.anchor_count = 2;
    const Status status = encoder.finish(context, &chunk);
    if (!status.ok() || !writer.append(&chunk).ok()) std::exit(3);
  };
  for (unsigned repeat = 0; repeat < repeats; ++repeat) {
    for (const Block& block : stream.blocks) {
      Piece piece;
      piece.words = block.words.data();
      piece.bytes = static_cast<uint32_t>(block.words.size() * sizeof(uint64_t));
      piece.tid = block.tid;
      piece.block_sequence = sequence++;
      piece.closes_block = true;
      encoder.add(piece);
      if (encoder.full()) flush();
    }
  }
  if (!encoder.empty()) flush();
  *bytes = writer.bytes_on_disk();
  return cpu_seconds() - before;
}

double decode_stream(const std::string& directory, uint64_t* records) {
  const double before = cpu_seconds();
  const auto run = RunDirectory::open(directory);
  if (!run.ok()) std::exit(3);
  ProcessReader reader(run.value().processes[0], {true});
  SegmentChunk chunk;
  *records = 0;
  while (reader.next(&chunk)) *records += chunk.header.records;
  return cpu_seconds() - before;
}

double merge_stream(const std::string& directory, uint64_t* records) {
  const double before = cpu_seconds();
  const auto run = RunDirectory::open(directory);
  ProcessRecords reader(run.value().processes[0]);
  TimedRecord record;
  *records = 0;
  while (reader.next(&record)) ++*records;
  return cpu_seconds() - before;
}

void measure(const char* name, const Stream& stream, const std::string& directory, uint64_t total) {
  const auto repeats = static_cast<unsigned>(std::max<uint64_t>(1, total / stream.records));
  uint64_t bytes = 0, decoded = 0, merged = 0;
  const double write_s = write_stream(stream, directory, repeats, &bytes);
  const double read_s = decode_stream(directory, &decoded);
  const double merge_s = merge_stream(directory, &merged);
  const auto records = static_cast<double>(stream.records * repeats);
  if (decoded != stream.records * repeats || merged != decoded) {
    std::printf("%s: wrote %.0f records, read %llu\n", name, records,
                static_cast<unsigned long long>(decoded));
    std::exit(1);
  }
  std::printf("%-12s %12.0f %18.1f %14.1f %16.1f %14.2f", name, records, records / write_s * 1e-6,
              records / read_s * 1e-6, records / merge_s * 1e-6,
              static_cast<double>(bytes) / records);
  if (stream.operations != 0) {
    std::printf(" %14.1f",
                static_cast<double>(bytes) / static_cast<double>(stream.operations * repeats));
  }
  std::printf("\n");
  if (std::system(("rm -f '" + directory + "'/bench.*.lks").c_str()) != 0) std::exit(3);
}

}  // namespace
}  // namespace lockstep::dumper

int main(int argc, char** argv) {
  using namespace lockstep::dumper;
  char scratch[] = "/tmp/lockstep-bench-codec-XXXXXX";
  const std::string directory = argc > 1 ? argv[1] : mkdtemp(scratch);
  const uint64_t total = (argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 40) * 1'000'000;
  std::printf("%-12s %12s %18s %14s %16s %14s %14s\n", "stream", "records", "write M/s",
              "decode M/s", "time order M/s", "bytes/record", "bytes/op");
  measure("steps", step_stream(4'000'000), directory, total);
  measure("operations", operation_stream(100'000), directory, total / 2);
  if (argc <= 1) rmdir(scratch);
  return 0;
}
