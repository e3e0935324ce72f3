// What this host remembers of the packets it sent to one peer: when, by which clock reading, and
// which kernel stamps the peer has not been told yet. Owned by the prober's thread. A ring: what is
// overwritten is forgotten, and the peer then uses the application stamp that travelled in the
// packet itself.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "clocksync/wire/clock_source.h"
#include "lockstep/clock_record.h"

namespace lockstep::clocksync {

// A stamp of one packet, on its way to the peer.
struct StampReport {
  uint64_t sequence = 0;
  RawStamp stamp;
  StampKind kind = StampKind::None;
};

struct SentPacket {
  uint64_t sequence = 0;
  RawStamp stamp;  // the best known: the kernel's, else the application's
  StampKind kind = StampKind::None;
  bool waits_for_kernel = false;
};

class SendLog {
 public:
  // At most so many stamps wait to be told: one train's, because each train can tell only so many,
  // and an older one would come too late to be used.
  SendLog(size_t capacity, size_t most_reports) : ring_(capacity), most_reports_(most_reports) {}

  // The number of the next packet; numbers start at 1.
  uint64_t next_sequence() const { return last_sequence_ + 1; }
  void sent(int64_t application_raw_ns, bool expects_kernel_stamp);
  // False: the stamp contradicts the application's (it lies before it) or the packet is forgotten.
  bool kernel_stamp(uint64_t sequence, const RawStamp& stamp);

  const SentPacket* find(uint64_t sequence) const;
  // The oldest stamp the peer does not know; kind None when there is none.
  StampReport take_report();
  // Counts packets older than a second whose kernel stamp never came, each once.
  uint64_t take_missing(int64_t now_raw_ns);
  uint64_t last_sequence() const { return last_sequence_; }

 private:
  std::vector<SentPacket> ring_;
  const size_t most_reports_;
  std::deque<uint64_t> to_report_;
  uint64_t last_sequence_ = 0;
  uint64_t checked_sequence_ = 0;
};

}  // namespace lockstep::clocksync
