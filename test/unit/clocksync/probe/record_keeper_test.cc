#include "clocksync/probe/record_keeper.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "test/unit/durations.h"
#include "test/unit/temp_dir.h"

namespace lockstep::clocksync {
namespace {

class Kept {
 public:
  Kept() {
    keeper = std::make_unique<RecordKeeper>(
        clock_, std::move(ClockRecordWriter::open(directory_.path(), "h").value()),
        [this](const std::string& sentence) { log.push_back(sentence); });
  }

  // "kind: detail" of every fault written so far.
  std::vector<std::string> faults() {
    keeper->flush();
    std::vector<std::string> found;
    ClockRecordReader reader = std::move(ClockRecordReader::open(directory_ / "h.clock").value());
    while (const auto record = reader.next()) {
      const auto* fault = std::get_if<ClockFault>(&*record);
      if (fault != nullptr) found.push_back(fault->kind + ": " + fault->detail);
    }
    return found;
  }

  std::vector<std::string> log;
  std::unique_ptr<RecordKeeper> keeper;

 private:
  const HostClock clock_;
  const TempDir directory_;
};

TEST(RecordKeeper, TellsRejectedPacketsOnceAMinuteAndAtTheEnd) {
  Kept kept;
  ProbeCounters counters;
  kept.keeper->rejections(counters, kSecond);
  EXPECT_TRUE(kept.faults().empty());
  counters.bad_mac = 3;
  kept.keeper->rejections(counters, 2 * kSecond);
  EXPECT_EQ(kept.faults(), std::vector<std::string>{"auth: bad_mac=3"});
  counters.replayed = 1;
  kept.keeper->rejections(counters, 30 * kSecond);
  EXPECT_EQ(kept.faults().size(), 1u);
  kept.keeper->last_rejections(counters);
  EXPECT_EQ(kept.faults().back(), "auth: bad_mac=3 replayed=1");
  kept.keeper->last_rejections(counters);
  EXPECT_EQ(kept.faults().size(), 2u);
}

TEST(RecordKeeper, SaysOfALostPeerWhereItsPacketsShouldHaveComeFrom) {
  Kept kept;
  PeerChange change;
  change.state.reason = "silent";
  const HostEntry peer = {"b", 1, "10.0.0.7", 4711, "pod"};
  kept.keeper->change(change, peer);
  EXPECT_TRUE(kept.faults().empty());
  change.lost = true;
  kept.keeper->change(change, peer);
  EXPECT_EQ(kept.faults(), std::vector<std::string>{
                               "no_path: no packet from 10.0.0.7:4711 (silent); is UDP blocked?"});
}

TEST(RecordKeeper, WritesAndLogsWhatTheRendezvousComplainsOf) {
  Kept kept;
  kept.keeper->complaint("no such directory");
  EXPECT_EQ(kept.faults(), std::vector<std::string>{"rendezvous: no such directory"});
  EXPECT_EQ(kept.log, std::vector<std::string>{"clock: no such directory"});
}

}  // namespace
}  // namespace lockstep::clocksync
