// Recovery from arenas made by hand, as a killed process leaves them.
#include "dumper/recovery/recover.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "analysis/inspect/count_run.h"
#include "analysis/inspect/verify_run.h"
#include "base/system.h"
#include "dumper/drain/file_size_signal.h"
#include "dumper/run/process_reader.h"
#include "dumper/run/process_state.h"
#include "test/unit/dumper/recovery/handmade_arena.h"
#include "test/unit/dumper/segment/file_size_limit.h"

namespace lockstep::dumper {
namespace {

using Outcome = RecoveredProcess::Outcome;

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
  const TempDir directory;
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

TEST(Recover, WritesSmallerChunksWhereNoFileTakesALargeOne) {
  for (const rlim_t limit : {60'000u, 10'000u, 3'000u}) {
    const TempDir directory;
    HandmadeArena arena(directory.path());
    for (uint64_t sequence = 1; sequence <= 4; ++sequence)
      arena.add_block(sequence, random_records(1'000, static_cast<unsigned>(sequence)), 0);
    arena.write();

    RecoveredProcess process;
    {
      const NoFileSizeSignal quiet;
      const FileSizeLimit small_files(limit);
      process = recover_one(directory.path());
    }

    EXPECT_EQ(process.outcome, Outcome::Recovered) << process.sentence;
    EXPECT_EQ(process.records, 4'000u);
    EXPECT_FALSE(exists(arena.path()));
    EXPECT_EQ(analysis::count_run(directory.path()).value().records, 4'000u);
    EXPECT_EQ(differences(directory.path()), "");
  }
}

TEST(Recover, KeepsTheArenaWhenNotEvenOneRecordFits) {
  const TempDir directory;
  HandmadeArena arena(directory.path());
  arena.add_block(1, random_records(10, 1), 0);
  arena.write();

  RecoveredProcess process;
  {
    const NoFileSizeSignal quiet;
    const FileSizeLimit small_files(100);
    process = recover_one(directory.path());
  }

  EXPECT_EQ(process.outcome, Outcome::Failed);
  EXPECT_NE(process.sentence.find(": cannot write: File too large; nothing was removed"),
            std::string::npos)
      << process.sentence;
  EXPECT_TRUE(exists(arena.path()));
}

TEST(Recover, WritesOnlyWhatTheSegmentsLackHoweverOftenItRuns) {
  const TempDir directory;
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
  const TempDir directory;
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
  TempDir place_;
};

// Ten records in an arena in such a place, of a process that wrote to `below` in the run directory.
struct ArenaElsewhere {
  explicit ArenaElsewhere(const std::string& below = "")
      : arena(directory.path() + below, place.arena()) {
    arena.add_block(1, random_records(10, 1), 0);
    arena.write();
  }
  OwnPlace place;
  TempDir directory;
  HandmadeArena arena;
};

TEST(Recover, FindsAnArenaInAPlaceOfItsOwnWithoutAWordInTheRunDirectory) {
  const ArenaElsewhere dead;

  EXPECT_EQ(recover_one(dead.directory.path()).records, 10u);
  EXPECT_FALSE(exists(dead.arena.path()));
}

TEST(Recover, TakesAnArenaThatIsGoneByNowForRecoveredBySomebodyElse) {
  const ArenaElsewhere dead;
  ASSERT_EQ(::unlink(dead.arena.path().c_str()), 0);

  const RecoveredProcess process = recover_arena(dead.arena.path(), dead.directory.path());

  EXPECT_EQ(process.outcome, Outcome::NothingLeft);
  EXPECT_EQ(process.sentence,
            dead.arena.path() + " was recovered by another lockstep at the same time");
}

TEST(Recover, LeavesWhatNamesADirectoryThatHoldsOnlyOthers) {
  const ArenaElsewhere dead;
  std::ofstream(dead.directory.path() + "/host.9.arena") << "/nowhere/9.blocks\n";

  const RecoveredProcess process = recover_one(dead.directory.path());

  EXPECT_EQ(process.outcome, Outcome::Unclaimed);
  EXPECT_NE(process.sentence.find("earlier run"), std::string::npos) << process.sentence;
  EXPECT_TRUE(exists(dead.arena.path()));
}

TEST(Recover, TakesWhoWasKilledBeforeItsWordWasInTheDirectoryByItsSocketThere) {
  for (const bool had_made_its_file : {false, true}) {
    const ArenaElsewhere dead;
    std::ofstream(dead.directory.path() + "/host.9.arena") << "/nowhere/9.blocks\n";
    const std::string files =
        dead.directory.path() + "/" + this_host() + "." + std::to_string(kDeadPid);
    std::ofstream(files + ".ctl") << "";
    if (had_made_its_file) std::ofstream(files + ".arena") << "";

    EXPECT_EQ(recover_one(dead.directory.path()).records, 10u);
    EXPECT_FALSE(exists(dead.arena.path()));
    EXPECT_FALSE(exists(files + ".ctl"));
    EXPECT_FALSE(exists(files + ".arena"));
  }
}

TEST(Recover, WritesToTheHostDirectoryThatTheProcessWroteTo) {
  const ArenaElsewhere dead("/" + this_host());

  const RecoveredProcess process = recover_one(dead.directory.path());

  EXPECT_EQ(process.segment.rfind(dead.directory.path() + "/" + this_host() + "/", 0), 0u)
      << process.sentence;
  EXPECT_EQ(differences(dead.directory.path()), "");
}

TEST(Recover, LeavesTheRunInADirectoryBelowAlone) {
  const ArenaElsewhere dead("/another-run");

  EXPECT_TRUE(recover_run(dead.directory.path()).value().empty());
  EXPECT_TRUE(exists(dead.arena.path()));
}

const RecoveredProcess* of_arena(const std::vector<RecoveredProcess>& all,
                                 const std::string& path) {
  for (const RecoveredProcess& process : all) {
    if (process.arena == path) return &process;
  }
  return nullptr;
}

TEST(Recover, OfAllWritesEachArenaIntoItsOwnRunDirectory) {
  const ArenaElsewhere dead;

  const std::vector<RecoveredProcess> all = recover_all();

  ASSERT_NE(of_arena(all, dead.arena.path()), nullptr);
  EXPECT_EQ(of_arena(all, dead.arena.path())->outcome, Outcome::Recovered);
  EXPECT_EQ(analysis::count_run(dead.directory.path()).value().records, 10u);
  EXPECT_FALSE(exists(dead.arena.path()));
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
  const TempDir directory;
  HandmadeArena arena(directory.path());
  arena.write();
  ASSERT_EQ(::chown(arena.path().c_str(), 12345, 12345), 0);

  const RecoveredProcess process = recover_one(directory.path());

  EXPECT_EQ(process.outcome, Outcome::Failed);
  EXPECT_NE(process.sentence.find("belongs to user 12345"), std::string::npos) << process.sentence;
  EXPECT_TRUE(exists(arena.path()));
}

TEST(Recover, KeepsTheNotesOfTheDeadProcess) {
  const TempDir directory;
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
  const TempDir directory;
  HandmadeArena arena(directory.path());
  arena.header()->pid = static_cast<uint32_t>(::getpid());
  arena.header()->process_start = process_start_time(arena.header()->pid);
  arena.write();

  EXPECT_EQ(recover_one(directory.path()).outcome, Outcome::Running);
  EXPECT_TRUE(exists(arena.path()));
}

TEST(Recover, TakesAReusedPidForADeadProcess) {
  const TempDir directory;
  HandmadeArena arena(directory.path());
  arena.header()->pid = static_cast<uint32_t>(::getpid());
  arena.add_block(1, random_records(10, 1), 0);
  arena.write();

  EXPECT_EQ(recover_one(directory.path()).outcome, Outcome::Recovered);
}

TEST(Recover, LeavesTheArenaOfAnotherHostAlone) {
  const TempDir directory;
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
    const TempDir directory;
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
  const TempDir directory;
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
  const TempDir directory;
  std::ofstream(directory.path() + "/host.1.blocks") << "short";

  const RecoveredProcess process = recover_one(directory.path());

  EXPECT_EQ(process.outcome, Outcome::Failed);
  EXPECT_NE(process.sentence.find("too short"), std::string::npos) << process.sentence;
}

}  // namespace
}  // namespace lockstep::dumper
