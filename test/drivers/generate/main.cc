// Writes a run of many ranks through the real encoder and segment writer, far faster than it could
// be emulated: for measuring how reports and verdicts scale. Eight ranks share a host's clock file
// name; all hosts share one clock here.
#include <cstdio>
#include <random>
#include <thread>

#include "base/command_line.h"
#include "dumper/segment/process_facts.h"
#include "dumper/segment/segment_writer.h"
#include "test/drivers/common/rank_records.h"
#include "test/drivers/generate/process_chunks.h"

namespace lockstep::driver {
namespace {

constexpr uint32_t kUserThread = 1, kProxyThread = 2;

struct Options {
  std::string directory;
  int ranks = 64, operations = 1000, late_rank = -1, hang_rank = -1;
  int every_ms = 0;  // between calls; 0: as fast as a small operation goes
  unsigned steps = 0;
  uint64_t late_us = 5000;
};

constexpr uint64_t kTypicalNs = 400'000;  // an operation takes, and a little more

// What all ranks agree on: when each operation is called and ends.
struct Plan {
  std::vector<uint64_t> calls, finishes;
};

Plan make_plan(const Options& options) {
  Plan plan;
  std::mt19937_64 random(1);
  uint64_t at = 2'000'000'000;
  for (int i = 0; i < options.operations; ++i) {
    const bool late = options.late_rank >= 0 && i % 4 == 1;
    plan.calls.push_back(at);
    at += kTypicalNs + random() % 50'000 + (late ? options.late_us * 1'000 : 0);
    plan.finishes.push_back(at);
    // What takes longer holds up what comes after it, as in a real job.
    at += options.every_ms == 0 ? 20'000 : uint64_t(options.every_ms) * 1'000'000 - kTypicalNs;
  }
  return plan;
}

// `called` is told of each operation's call, after its records.
template <class Called>
void fill(const Options& options, const Plan& plan, int rank, RankRecords* records, Called called) {
  std::mt19937_64 random(static_cast<uint64_t>(rank) + 7);
  records->init(1'000'000'000 + random() % 1'000'000);
  for (int i = 0; i < options.operations; ++i) {
    const bool last = i + 1 == options.operations;
    if (last && options.hang_rank == rank) break;
    RankOperation op;
    op.func = i % 5 == 4 ? "AllGather" : "AllReduce";
    op.count = i % 5 == 4 ? 4096 : 65536;
    op.sequence = static_cast<uint64_t>(i % 5 == 4 ? i / 5 : i - i / 5);
    const auto n = static_cast<size_t>(i);
    op.call_ns = plan.calls[n] + random() % 10'000;
    if (rank == options.late_rank && i % 4 == 1) op.call_ns += options.late_us * 1'000;
    op.kernel_ns = op.call_ns + 5'000;
    op.finish_ns = last && options.hang_rank >= 0 ? 0 : plan.finishes[n] + random() % 5'000;
    op.steps = options.steps;
    records->operation(op);
    called(op.call_ns);
  }
  if (options.hang_rank < 0) records->finalize(plan.finishes.back() + 1'000'000);
}

constexpr uint64_t kRealNs = 1'700'000'000'000'000'000;

Anchor anchor_at(uint64_t ns) { return {ns, ns, kRealNs + ns, ns}; }

// As the plugin writes them: each second the records of that second and the anchors around them.
class Rounds {
 public:
  Rounds(RankRecords* records, ProcessChunks* chunks) : records_(*records), chunks_(*chunks) {}

  void called(uint64_t now_ns) {
    if (now_ns / kRoundNs != before_ns_ / kRoundNs) write(now_ns);
  }
  Status write(uint64_t now_ns) {
    chunks_.set_clock(anchor_at(before_ns_), anchor_at(now_ns), before_ns_);
    if (status_.ok()) status_ = chunks_.add(records_.user, kUserThread);
    if (status_.ok()) status_ = chunks_.add(records_.proxy, kProxyThread);
    if (status_.ok()) status_ = chunks_.flush();
    records_.user.clear();
    records_.proxy.clear();
    before_ns_ = now_ns;
    return status_;
  }

 private:
  static constexpr uint64_t kRoundNs = 1'000'000'000;
  RankRecords& records_;
  ProcessChunks& chunks_;
  uint64_t before_ns_ = 0;
  Status status_;
};

// All that a process recorded, thread after thread.
Status write_at_once(const RankRecords& records, ProcessChunks* chunks) {
  chunks->set_clock(anchor_at(0), anchor_at(100'000'000'000), 0);
  Status status = chunks->add(records.user, kUserThread);
  if (status.ok()) status = chunks->flush();
  if (status.ok()) status = chunks->add(records.proxy, kProxyThread);
  return status.ok() ? chunks->flush() : status;
}

Status write_rank(const Options& options, const Plan& plan, int rank) {
  const uint32_t pid = 10'000 + static_cast<uint32_t>(rank);
  RankStrings strings;
  RankRecords records(1, 0xabcdef, rank, options.ranks, pid, &strings);
  dumper::SegmentWriterOptions where;
  where.directory = options.directory;
  where.host = "generated";
  where.pid = pid;
  where.process_uid = pid;
  if (options.every_ms != 0) where.rotate_bytes = uint64_t{256} << 20;
  dumper::SegmentWriter writer(where, dumper::system_file_io());
  dumper::ProcessFacts facts;
  facts.host = where.host;
  facts.boot_id = "generated";
  facts.pid = pid;
  writer.set_facts(dumper::facts_to_json(facts));
  dumper::Ledger ledger;
  ledger.raw_ns = plan.finishes.back() + 10'000'000'000;
  ProcessChunks chunks(strings, &writer);
  Status status;
  if (options.every_ms != 0) {
    Rounds rounds(&records, &chunks);
    fill(options, plan, rank, &records, [&](uint64_t now_ns) { rounds.called(now_ns); });
    status = rounds.write(plan.finishes.back() + 2'000'000);
  } else {
    fill(options, plan, rank, &records, [](uint64_t) {});
    status = write_at_once(records, &chunks);
  }
  return status.ok() ? writer.append_end(ledger) : status;
}

int run(int argc, char** argv) {
  Options options;
  base::Program program("Writes a large run of one communicator without running it.");
  program.option("DIR", &options.directory, "new run directory").required();
  program.option("--ranks", &options.ranks, "ranks").between(2, 100'000);
  program.option("--operations", &options.operations, "collectives of each rank")
      .between(2, 10'000'000);
  program.option("--steps", &options.steps, "network steps of each direction and channel");
  program.option("--late-rank", &options.late_rank,
                 "this rank calls late in every fourth operation");
  program.option("--late-us", &options.late_us, "by this much");
  program
      .option("--every-ms", &options.every_ms,
              "a call each so many milliseconds, its records in the file each second")
      .between(1, 1000);
  program.option("--hang-rank", &options.hang_rank, "this rank never enters the last operation");
  if (const auto status = program.parse(argc, argv)) return *status;
  const Plan plan = make_plan(options);
  for (int rank = 0; rank < options.ranks; ++rank) {
    const Status status = write_rank(options, plan, rank);
    if (status.ok()) continue;
    fprintf(stderr, "lockstep-generate: %s\n", status.message().c_str());
    return 3;
  }
  return 0;
}

}  // namespace
}  // namespace lockstep::driver

int main(int argc, char** argv) { return lockstep::driver::run(argc, argv); }
