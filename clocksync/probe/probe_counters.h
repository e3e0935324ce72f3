// Every counter of the prober, in one table: name and the sentence people read.
// Owned by the prober's thread alone (plain integers); copied out when a record is written.
// The names appear in `fault` and `window_stats` records, so they are part of the file format: add,
// never rename.
#pragma once

#include <cstdint>
#include <string>

namespace lockstep::clocksync {

#define LOCKSTEP_PROBE_COUNTERS(X)                                                                 \
  X(packets_sent, "probe packets sent")                                                            \
  X(packets_received, "authentic packets received")                                                \
  X(bytes_sent, "bytes sent, UDP payload")                                                         \
  X(bytes_received, "bytes received in authentic packets, UDP payload")                            \
  X(send_failed, "packets the kernel refused to send")                                             \
  X(truncated, "packets shorter than 96 bytes")                                                    \
  X(oversized, "packets longer than 96 bytes")                                                     \
  X(bad_magic, "packets that are not ours")                                                        \
  X(bad_version, "packets of another protocol version")                                            \
  X(bad_field, "packets with an impossible field")                                                 \
  X(other_job, "packets of another job")                                                           \
  X(unknown_source, "packets from a host that is not in the host list")                            \
  X(bad_address, "packets of a known host from an address that is not its own")                    \
  X(bad_mac, "packets whose authentication code is wrong")                                         \
  X(stale_session, "packets of a session that is not the proven one")                              \
  X(replayed, "packets seen before or older than the replay window")                               \
  X(kernel_dropped, "packets the kernel dropped: full queue, or the filter set during a flood")    \
  X(tx_stamp_missing, "packets whose kernel send stamp never came; the application stamp is used") \
  X(rx_stamp_missing, "packets without a kernel receive stamp; the application stamp is used")     \
  X(stamps_discarded, "kernel stamps discarded because CLOCK_REALTIME jumped")                     \
  X(wakeups, "times the prober's thread woke up")                                                  \
  X(looks, "times it read its sockets")                                                            \
  X(points, "inequalities kept")                                                                   \
  X(floods, "seconds in which bad packets passed the limit and reading was slowed down")

struct ProbeCounters {
#define LOCKSTEP_COUNTER_FIELD(name, sentence) uint64_t name = 0;
  LOCKSTEP_PROBE_COUNTERS(LOCKSTEP_COUNTER_FIELD)
#undef LOCKSTEP_COUNTER_FIELD

  // Packets dropped without an answer because they could not be believed.
  uint64_t rejected() const {
    return truncated + oversized + bad_magic + bad_version + bad_field + other_job +
           unknown_source + bad_address + bad_mac + stale_session + replayed;
  }

  // The same, less what a host that starts or restarts causes by itself.
  uint64_t suspicious() const {
    constexpr uint64_t kUsual = 100;
    const uint64_t greetings = unknown_source + stale_session;
    return rejected() - greetings + (greetings > kUsual ? greetings - kUsual : 0);
  }
};

// Calls visit(name, value) for each counter, in the table's order.
template <typename Visitor>
void for_each_counter(const ProbeCounters& counters, Visitor visit) {
#define LOCKSTEP_COUNTER_VISIT(name, sentence) visit(#name, counters.name);
  LOCKSTEP_PROBE_COUNTERS(LOCKSTEP_COUNTER_VISIT)
#undef LOCKSTEP_COUNTER_VISIT
}

// "bad_mac=3 replayed=1": every counter that is not zero.
inline std::string counter_text(const ProbeCounters& counters) {
  std::string text;
  for_each_counter(counters, [&text](const char* name, uint64_t value) {
    if (value == 0) return;
    text += (text.empty() ? "" : " ") + std::string(name) + "=" + std::to_string(value);
  });
  return text;
}

}  // namespace lockstep::clocksync
