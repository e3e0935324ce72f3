// A process's segments as the dump thread writes them, one chunk a second. Header only.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "dumper/run/run_directory.h"
#include "dumper/segment/ledger.h"
#include "test/unit/dumper/segment/samples.h"
#include "test/unit/durations.h"

namespace lockstep::dumper {

constexpr unsigned kRecordsInRound = 400;

inline void add_stop(uint32_t comm, uint64_t ns, uint64_t serial, std::vector<uint64_t>* words) {
  words->push_back(make_word0(stop_tag(Kind::Coll), ns));
  words->push_back(make_event_id(Kind::Coll, comm, serial));
}

inline void add_init(uint32_t comm, uint64_t ns, std::vector<uint64_t>* words) {
  words->push_back(make_word0(kCommInitTag, ns));
  const RecordShape& shape = kRecordShapes[kCommInitTag];
  for (unsigned i = 1; i < shape.words; ++i) words->push_back(i == 1 ? comm : 0);
  // The rank, and how many there are: bits of word 3.
  (*words)[words->size() - shape.words + 3] = (comm + 10) | uint64_t{32} << 32;
}

// One chunk a second. A second thread's records come a second late, as those of a slow round do.
class RoundedProcess {
 public:
  explicit RoundedProcess(uint64_t rotate_bytes = 0) {
    SegmentWriterOptions options = sample_options(directory_.path());
    options.rotate_bytes = rotate_bytes;
    writer_ = std::make_unique<SegmentWriter>(options, system_file_io());
    writer_->set_facts(R"({"host": "host.example", "pid": 4711})");
  }
  void round(uint64_t second, uint32_t comm) {
    std::vector<uint64_t> own, late;
    if (second == 0) add_init(1, 1, &own);
    if (comm != 1 && begun_.insert(comm).second) add_init(comm, second * kSecond + 1, &own);
    for (unsigned i = 0; i < kRecordsInRound; ++i) {
      add_stop(comm, second * kSecond + 10 + i, random_() >> 24, &own);
      if (second > 0) add_stop(1, (second - 1) * kSecond + 10 + i, random_() >> 24, &late);
    }
    ChunkEncoder encoder;
    encoder.add(piece_of(own, 1, second * 2 + 1));
    if (!late.empty()) encoder.add(piece_of(late, 2, second * 2 + 2));
    const uint64_t ends[] = {second * kSecond, (second + 1) * kSecond};
    const Anchor anchors[] = {{ends[0], ends[0], 5 * kSecond + ends[0], ends[0]},
                              {ends[1], ends[1], 5 * kSecond + ends[1], ends[1]}};
    NumberedStrings strings;
    ChunkContext context;
    context.anchors = anchors;
    context.anchor_count = 2;
    context.complete_ticks = second == 0 ? 0 : (second - 1) * kSecond;
    context.strings = &strings;
    EncodedChunk chunk;
    ASSERT_TRUE(encoder.finish(context, &chunk).ok());
    ASSERT_TRUE(writer_->append(&chunk).ok());
  }
  void end(uint64_t raw_ns) {
    Ledger ledger;
    ledger.raw_ns = raw_ns;
    ledger.add_loss(1, 3, Call::Start, Loss::Memory, 17);
    ASSERT_TRUE(writer_->append_end(ledger).ok());
    writer_->close();
  }
  ProcessEntry entry() const {
    auto run = RunDirectory::open(directory_.path());
    EXPECT_TRUE(run.ok()) << run.message();
    return run.value().processes.at(0);
  }
  const std::string& path() const { return directory_.path(); }

 private:
  const TempDir directory_;
  std::unique_ptr<SegmentWriter> writer_;
  std::set<uint32_t> begun_ = {1};
  std::mt19937_64 random_{7};
};

}  // namespace lockstep::dumper
