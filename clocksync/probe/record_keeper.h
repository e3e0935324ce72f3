// What the prober writes to `<host>.clock`: the session's facts, snapshots of the clocks, and what
// there is to say about the peers. Keeps lines in memory until flush(). A disk that takes nothing
// costs the lines and one sentence, never the probing. Owned by the prober's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "clocksync/probe/peer.h"
#include "clocksync/probe/probe_counters.h"
#include "clocksync/record/clock_files.h"
#include "clocksync/wire/clock_source.h"

namespace lockstep::clocksync {

class RecordKeeper {
 public:
  using Log = std::function<void(const std::string&)>;
  // `clock` must outlive this; `log` may be empty.
  RecordKeeper(const ClockSource& clock, ClockRecordWriter writer, Log log);

  // The first record of a session; its time is filled in.
  void begin(ClockHello hello);
  void snapshot();
  void change(const PeerChange& change, const HostEntry& peer);
  void news(const PeerNews& news);
  void fault(const std::string& kind, const std::string& peer, const std::string& detail,
             uint64_t count = 1);
  // What the rendezvous complains of: written and logged.
  void complaint(const std::string& sentence);
  // Packets that were not believed since the last time: at most once a minute while it goes on,
  // once more at the end.
  void rejections(const ProbeCounters& counters, int64_t mono_ns);
  void last_rejections(const ProbeCounters& counters);
  void flush();

 private:
  void log(const std::string& sentence) const;

  const ClockSource& clock_;
  ClockRecordWriter writer_;
  const Log log_;
  int64_t boot_minus_mono_ns_;
  uint64_t rejected_told_ = 0;
  int64_t next_rejections_mono_ns_ = 0;
  bool disk_trouble_told_ = false;
};

}  // namespace lockstep::clocksync
