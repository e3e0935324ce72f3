// Recovery from arenas made by hand, as a killed process leaves them.
#include "dumper/recover.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "analysis/count_run.h"
#include "analysis/verify_run.h"
#include "dumper/process_reader.h"
#include "dumper/process_state.h"
#include "test/unit/dumper/samples.h"

namespace lockstep::dumper {
namespace {

using Outcome = RecoveredProcess::Outcome;
constexpr uint32_t kDeadPid = 0x7ffffff0;  // above any pid_max

// An arena in the run directory with room for a few blocks.
class HandmadeArena {
 public:
  explicit HandmadeArena(const std::string& directory)
      : HandmadeArena(directory, directory + "/host.1.blocks") {}
  HandmadeArena(const std::string& directory, const std::string& path) : path_(path) {
    header_->magic = kArenaMagic;
    header_->version = 1;
    header_->pid = kDeadPid;
    header_->process_uid = 0xabc;
    header_->process_start = 1;
    header_->max_blocks = 4;
    std::snprintf(header_->host, sizeof header_->host, "%s", this_host().c_str());
    std::snprintf(header_->boot_id, sizeof header_->boot_id, "%s", this_boot_id().c_str());
    std::snprintf(header_->run_dir, sizeof header_->run_dir, "%s", directory.c_str());
    const std::string facts =
        "{\"host\":\"" + this_host() + "\",\"boot_id\":\"" + this_boot_id() + "\",\"pid\":5}";
    std::memcpy(header_->facts, facts.data(), facts.size());
    header_->facts_bytes = static_cast<uint32_t>(facts.size());
    header_->anchors[0] = kSampleAnchors[0];
    header_->anchors[1] = kSampleAnchors[1];
    header_->anchors_taken = 2;
  }

  // A block of `words`, with the calls that made them and `inside` more that never finished.
  void add_block(uint64_t sequence, const std::vector<uint64_t>& words, uint64_t inside) {
    BlockHeader& block =
        blocks_.emplace_back(std::make_unique<BlockHeader>(), words).first.operator*();
    block.sequence = sequence;
    block.tid = 77;
    block.published = pack_published(1, static_cast<uint32_t>(words.size() * sizeof(uint64_t)));
    for (size_t at = 0; at < words.size(); at += kRecordShapes[tag_of(words[at])].words) {
      const Tag tag = tag_of(words[at]);
      if (tag >= kCommInitTag) continue;
      const Call call = is_start(tag) ? Call::Start : is_stop(tag) ? Call::Stop : Call::State;
      ++block.calls[call_cell(static_cast<unsigned>(kind_of(words[at + 1])), call)];
    }
    block.calls[call_cell(static_cast<unsigned>(Kind::Coll), Call::Start)] += inside;
  }

  void write() const {
    std::string bytes(kFirstBlockOffset + blocks_.size() * kBlockBytes, '\0');
    std::memcpy(bytes.data(), static_cast<const void*>(header_.get()), sizeof(ArenaHeader));
    size_t at = kFirstBlockOffset;
    for (const auto& [block, words] : blocks_) {
      std::memcpy(&bytes[at], static_cast<const void*>(block.get()), sizeof(BlockHeader));
      std::memcpy(&bytes[at + sizeof(BlockHeader)], words.data(), words.size() * sizeof(uint64_t));
      at += kBlockBytes;
    }
    std::ofstream(path_, std::ios::binary) << bytes;
  }

  ArenaHeader* header() { return header_.get(); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::unique_ptr<ArenaHeader> header_ = std::make_unique<ArenaHeader>();
  std::vector<std::pair<std::unique_ptr<BlockHeader>, std::vector<uint64_t>>> blocks_;
};

RecoveredProcess recover_one(const std::string& directory) {
  const auto recovered = recover_run(directory);
  EXPECT_TRUE(recovered.ok());
  EXPECT_EQ(recovered.value().size(), 1u);
  return recovered.ok() && recovered.value().size() == 1 ? recovered.value()[0]
                                                         : RecoveredProcess();
}

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

std::string differences(const std::string& directory) {
  const auto verified = analysis::verify_run(directory);
  if (!verified.ok()) return verified.message();
  std::string all;
  for (const std::string& text : verified.value().differences) all += text + "\n";
  return all;
}

TEST(Recover, WritesEveryRecordOfADeadProcessAndRemovesItsArena) {
  const TempDirectory directory;
  HandmadeArena arena(directory.path());
  arena.add_block(1, random_records(200, 1), 0);
  arena.add_block(2, random_records(100, 2), 1);
  arena.write();

  const RecoveredProcess process = recover_one(directory.path());

  EXPECT_EQ(process.outcome, Outcome::Recovered) << process.sentence;
  EXPECT_EQ(process.records, 300u);
  EXPECT_EQ(process.in_progress, 1u);
  EXPECT_FALSE(exists(arena.path()));
  EXPECT_EQ(analysis::count_run(directory.path()).value().records, 300u);
  EXPECT_EQ(differences(directory.path()), "");
}

TEST(Recover, WritesOnlyWhatTheSegmentsLackHoweverOftenItRuns) {
  const TempDirectory directory;
  HandmadeArena arena(directory.path());
  arena.add_block(1, random_records(200, 1), 0);
  arena.write();
  ASSERT_EQ(recover_one(directory.path()).records, 200u);

  arena.write();  // as if the first recovery had been killed before it removed the arena
  const RecoveredProcess again = recover_one(directory.path());

  EXPECT_EQ(again.outcome, Outcome::NothingLeft) << again.sentence;
  EXPECT_EQ(analysis::count_run(directory.path()).value().records, 200u);
  EXPECT_EQ(differences(directory.path()), "");
}

TEST(Recover, ContinuesABlockWhereTheSegmentsEndAlsoAfterATornTail) {
  const TempDirectory directory;
  const auto words = random_records(200, 1);
  // The dump thread had written the first 50 records, and half of a chunk with more.
  size_t part = 0;
  for (int i = 0; i < 50; ++i) part += kRecordShapes[tag_of(words[part])].words;
  SegmentWriterOptions options = sample_options(directory.path());
  options.host = this_host();
  options.pid = kDeadPid;
  std::string path;
  {
    SegmentWriter writer(options, system_file_io());
    for (int i = 0; i < 2; ++i) {
      Piece piece = piece_of(words, 77, 1);
      piece.from_byte = i == 0 ? 0 : static_cast<uint32_t>(part * 8);
      piece.words += i == 0 ? 0 : part;
      piece.bytes = i == 0 ? static_cast<uint32_t>(part * 8) : 0;
      EncodedChunk chunk = encode({piece});
      ASSERT_TRUE(writer.append(&chunk).ok());
    }
    path = writer.path();
  }
  struct stat facts;
  ASSERT_EQ(::stat(path.c_str(), &facts), 0);
  ASSERT_EQ(::truncate(path.c_str(), facts.st_size - 5), 0);
  HandmadeArena arena(directory.path());
  arena.add_block(1, words, 0);
  arena.write();

  const RecoveredProcess process = recover_one(directory.path());

  EXPECT_EQ(process.records, 150u) << process.sentence;
  EXPECT_EQ(analysis::count_run(directory.path()).value().records, 200u);
  EXPECT_EQ(differences(directory.path()), "");
}

// As if LOCKSTEP_SHM_DIR had been set for the process, and is set for recovery.
class OwnPlace {
 public:
  OwnPlace() { setenv("LOCKSTEP_SHM_DIR", place_.path().c_str(), 1); }
  ~OwnPlace() { unsetenv("LOCKSTEP_SHM_DIR"); }
  std::string arena() const { return place_.path() + "/lockstep-1-2.blocks"; }

 private:
  TempDirectory place_;
};

TEST(Recover, FindsAnArenaInAPlaceOfItsOwnWithoutAWordInTheRunDirectory) {
  const OwnPlace place;
  const TempDirectory directory;
  HandmadeArena arena(directory.path(), place.arena());
  arena.add_block(1, random_records(10, 1), 0);
  arena.write();

  EXPECT_EQ(recover_one(directory.path()).records, 10u);
  EXPECT_FALSE(exists(arena.path()));
}

const RecoveredProcess* of_arena(const std::vector<RecoveredProcess>& all,
                                 const std::string& path) {
  for (const RecoveredProcess& process : all) {
    if (process.arena == path) return &process;
  }
  return nullptr;
}

TEST(Recover, OfAllWritesEachArenaIntoItsOwnRunDirectory) {
  const OwnPlace place;
  const TempDirectory directory;
  HandmadeArena arena(directory.path(), place.arena());
  arena.add_block(1, random_records(10, 1), 0);
  arena.write();

  const std::vector<RecoveredProcess> all = recover_all();

  ASSERT_NE(of_arena(all, arena.path()), nullptr);
  EXPECT_EQ(of_arena(all, arena.path())->outcome, Outcome::Recovered);
  EXPECT_EQ(analysis::count_run(directory.path()).value().records, 10u);
  EXPECT_FALSE(exists(arena.path()));
}

TEST(Recover, OfAllLeavesAnArenaAloneWhoseRunDirectoryWasRemoved) {
  const OwnPlace place;
  const std::string gone = "/nowhere/run";
  HandmadeArena arena(gone, place.arena());
  arena.write();

  const std::vector<RecoveredProcess> all = recover_all();

  ASSERT_NE(of_arena(all, arena.path()), nullptr);
  EXPECT_NE(of_arena(all, arena.path())->sentence.find("`lockstep recover /nowhere/run`"),
            std::string::npos);
  EXPECT_TRUE(exists(arena.path()));
}

TEST(Recover, LeavesTheArenaOfAnotherUserAlone) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  const TempDirectory directory;
  HandmadeArena arena(directory.path());
  arena.write();
  ASSERT_EQ(::chown(arena.path().c_str(), 12345, 12345), 0);

  const RecoveredProcess process = recover_one(directory.path());

  EXPECT_EQ(process.outcome, Outcome::Failed);
  EXPECT_NE(process.sentence.find("belongs to user 12345"), std::string::npos) << process.sentence;
  EXPECT_TRUE(exists(arena.path()));
}

TEST(Recover, KeepsTheNotesOfTheDeadProcess) {
  const TempDirectory directory;
  HandmadeArena arena(directory.path());
  arena.add_block(1, random_records(10, 1), 0);
  arena.write();
  SegmentWriterOptions options = sample_options(directory.path());
  options.host = this_host();
  options.pid = kDeadPid;
  {
    SegmentWriter writer(options, system_file_io());
    Ledger ledger;
    ledger.notes = {"events set to all by test"};
    ledger.threads_ns = 7;
    ASSERT_TRUE(writer.append_ledger(ledger).ok());
  }

  recover_one(directory.path());

  const auto run = RunDirectory::open(directory.path());
  ProcessReader reader(run.value().processes.at(0), {});
  SegmentChunk chunk;
  while (reader.next(&chunk)) {
  }
  ASSERT_EQ(reader.ledger().notes.size(), 2u);
  EXPECT_EQ(reader.ledger().notes[0], "events set to all by test");
  EXPECT_EQ(reader.ledger().threads_ns, 7u);
}

TEST(Recover, LeavesARunningProcessAlone) {
  const TempDirectory directory;
  HandmadeArena arena(directory.path());
  arena.header()->pid = static_cast<uint32_t>(::getpid());
  arena.header()->process_start = process_start_time(arena.header()->pid);
  arena.write();

  EXPECT_EQ(recover_one(directory.path()).outcome, Outcome::Running);
  EXPECT_TRUE(exists(arena.path()));
}

TEST(Recover, TakesAReusedPidForADeadProcess) {
  const TempDirectory directory;
  HandmadeArena arena(directory.path());
  arena.header()->pid = static_cast<uint32_t>(::getpid());
  arena.add_block(1, random_records(10, 1), 0);
  arena.write();

  EXPECT_EQ(recover_one(directory.path()).outcome, Outcome::Recovered);
}

TEST(Recover, LeavesTheArenaOfAnotherHostAlone) {
  const TempDirectory directory;
  HandmadeArena arena(directory.path());
  std::strcpy(arena.header()->host, "elsewhere");
  std::strcpy(arena.header()->boot_id, "another");
  arena.write();

  EXPECT_EQ(recover_one(directory.path()).outcome, Outcome::Elsewhere);
  EXPECT_TRUE(exists(arena.path()));
}

TEST(Recover, CopesWithArenasThatHoldAnything) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 60; ++round) {
    const TempDirectory directory;
    HandmadeArena arena(directory.path());
    arena.add_block(1, random_records(100, 1), 0);
    arena.add_block(2, random_records(100, 2), 0);
    arena.write();
    std::fstream file(arena.path(), std::ios::in | std::ios::out | std::ios::binary);
    for (int i = 0; i < 400; ++i) {
      // Behind the facts that name the process, up to the end of the second block's records.
      const uint64_t from = offsetof(ArenaHeader, ended);
      const uint64_t to = kFirstBlockOffset + kBlockBytes + 4096;
      file.seekp(static_cast<std::streamoff>(from + random() % (to - from)));
      file.put(static_cast<char>(random()));
    }
    file.close();
    const auto recovered = recover_run(directory.path());
    ASSERT_TRUE(recovered.ok());
    static_cast<void>(analysis::verify_run(directory.path()));
  }
}

TEST(Recover, WritesNowhereElseHoweverTheArenaNamesItsHost) {
  const TempDirectory directory;
  HandmadeArena arena(directory.path());
  std::strcpy(arena.header()->host, "../stray");
  arena.add_block(1, random_records(10, 1), 0);
  arena.write();

  const RecoveredProcess process = recover_one(directory.path());

  EXPECT_EQ(process.outcome, Outcome::Failed);
  EXPECT_NE(process.sentence.find("holds a slash"), std::string::npos) << process.sentence;
  EXPECT_FALSE(exists(directory.path() + "/../stray." + std::to_string(kDeadPid) + ".0.lks"));
  EXPECT_TRUE(exists(arena.path()));
}

TEST(Recover, RefusesAFileThatIsTooShort) {
  const TempDirectory directory;
  std::ofstream(directory.path() + "/host.1.blocks") << "short";

  const RecoveredProcess process = recover_one(directory.path());

  EXPECT_EQ(process.outcome, Outcome::Failed);
  EXPECT_NE(process.sentence.find("too short"), std::string::npos) << process.sentence;
}

}  // namespace
}  // namespace lockstep::dumper
