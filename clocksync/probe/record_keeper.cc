#include "clocksync/probe/record_keeper.h"

#include <cstdlib>

#include "base/clock_ns.h"

namespace lockstep::clocksync {
namespace {

constexpr int64_t kRejectionsPauseNs = 60'000'000'000;
constexpr int64_t kSuspendNs = 1'000'000;

// BOOTTIME counts the time asleep, MONOTONIC does not.
int64_t time_asleep_ns() { return clock_now_ns(CLOCK_BOOTTIME) - mono_now_ns(); }

}  // namespace

RecordKeeper::RecordKeeper(const ClockSource& clock, ClockRecordWriter writer, Log log)
    : clock_(clock),
      writer_(std::move(writer)),
      log_(std::move(log)),
      boot_minus_mono_ns_(time_asleep_ns()) {}

void RecordKeeper::log(const std::string& sentence) const {
  if (log_) log_("clock: " + sentence);
}

void RecordKeeper::begin(ClockHello hello) {
  hello.t_raw_ns = clock_.raw_ns();
  writer_.append(hello);
}

void RecordKeeper::snapshot() {
  ClockSnapshot snapshot = clock_.snapshot();
  snapshot.t_raw_ns = snapshot.raw_ns;
  writer_.append(snapshot);
  const int64_t boot_minus_mono_ns = time_asleep_ns();
  if (std::llabs(boot_minus_mono_ns - boot_minus_mono_ns_) <= kSuspendNs) return;
  boot_minus_mono_ns_ = boot_minus_mono_ns;
  fault("suspended", "", "the host slept or was moved; its clock did not run meanwhile");
}

void RecordKeeper::change(const PeerChange& change, const HostEntry& peer) {
  EdgeState state = change.state;
  state.t_raw_ns = clock_.raw_ns();
  writer_.append(state);
  if (!change.lost) return;
  fault("no_path", peer.name,
        "no packet from " + peer.address + ":" + std::to_string(peer.port) + " (" + state.reason +
            "); is UDP blocked?");
}

void RecordKeeper::news(const PeerNews& news) {
  for (const HullBin& bin : news.bins) writer_.append(bin);
  if (news.window) writer_.append(*news.window);
}

void RecordKeeper::fault(const std::string& kind, const std::string& peer,
                         const std::string& detail, uint64_t count) {
  writer_.append(ClockFault{clock_.raw_ns(), kind, peer, detail, count});
}

void RecordKeeper::complaint(const std::string& sentence) {
  fault("rendezvous", "", sentence);
  log(sentence);
}

void RecordKeeper::rejections(const ProbeCounters& counters, int64_t mono_ns) {
  if (mono_ns < next_rejections_mono_ns_ || counters.suspicious() == rejected_told_) return;
  last_rejections(counters);
  next_rejections_mono_ns_ = mono_ns + kRejectionsPauseNs;
}

void RecordKeeper::last_rejections(const ProbeCounters& counters) {
  const uint64_t rejected = counters.suspicious();
  if (rejected == rejected_told_) return;
  fault("auth", "", counter_text(counters), rejected - rejected_told_);
  rejected_told_ = rejected;
}

void RecordKeeper::flush() {
  const Status status = writer_.flush();
  if (status.ok() || disk_trouble_told_) return;
  disk_trouble_told_ = true;
  log(status.message());
}

}  // namespace lockstep::clocksync
