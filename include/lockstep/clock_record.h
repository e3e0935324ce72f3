// What one host's clock prober writes and the offline solver reads: one file `<host>.clock` per
// host in the run directory, one JSON object per line, `type` first, `t` = CLOCK_MONOTONIC_RAW of
// the writing host when the line was made. The structs below are those lines;
// clocksync/record/clock_records.h turns one into the other. Plain data only: nothing here knows sockets,
// files or JSON.
//
// Clocks: every `_raw_ns` is nanoseconds of CLOCK_MONOTONIC_RAW of the host named beside it (the
// writer unless said otherwise). `offset of b to a` always means clock of b minus clock of a;
// docs/clock.md draws which way each packet counts.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace lockstep {

inline constexpr int kClockRecordVersion = 1;
// Hull points are reduced per 0.1 s of receive time.
inline constexpr int64_t kHullBinNs = 100'000'000;
inline constexpr const char* kClockFileSuffix = ".clock";

// Where a packet stamp was taken; a hull point carries the worse of its two stamps.
enum class StampKind : uint8_t { None = 0, Application = 1, Kernel = 2, Hardware = 3 };

// One setting in force when the prober started, with where it came from: environment, file, preset or
// default.
struct ClockSetting {
  std::string name, value, origin;
};

// First line of a file, and again after every restart or takeover of the prober.
struct ClockHello {
  int64_t t_raw_ns = 0;
  int version = kClockRecordVersion;
  // Unique in the run; also the file's name.
  std::string host;
  // Hosts with the same boot id and clock namespace share one clock.
  std::string boot_id;
  // The time namespace's identity, for example "time:[4026531834]".
  std::string clock_namespace;
  std::string job;
  uint64_t epoch = 0;  // of the membership list
  uint64_t nonce = 0;  // of this prober session
  std::string kernel, clocksource;
  bool vdso = true;  // false: a clock read is a system call here
  std::string nic_name, nic_driver, nic_stamps, nic_coalesce;
  std::vector<std::string> addresses;
  std::vector<ClockSetting> config;
};

// The host's clocks read together, between two readings of RAW that lie bracket_ns apart.
struct ClockSnapshot {
  int64_t t_raw_ns = 0;
  int64_t raw_ns = 0, real_ns = 0, mono_ns = 0;
  int64_t bracket_ns = 0;
  double freq_ppm = 0;  // adjtimex: how REALTIME is being slewed
  int adj_status = 0;   // adjtimex status bits
};

// A GPU clock reading that happened between raw_lo_ns and raw_hi_ns of the host (active mode only).
struct GpuSnapshot {
  int64_t t_raw_ns = 0;
  std::string gpu_uuid;
  int64_t raw_lo_ns = 0, raw_hi_ns = 0;
  int64_t gpu_ns = 0;
  int64_t granularity_ns = 0;  // the true GPU time lies in [gpu_ns, gpu_ns + granularity_ns)
  std::string method;
  std::vector<uint64_t> comms;  // numbers of the communicators that run on this GPU
};

// One packet that survived the hull reduction. tx is on the sender's clock (the record's peer), and
// delta = receive stamp (writer's clock) - tx. Hence offset(writer to peer) <= delta +
// uncertainty_ns.
struct HullPoint {
  int64_t tx_raw_ns = 0;
  int64_t delta_ns = 0;
  StampKind kind = StampKind::None;
  uint32_t uncertainty_ns = 0;  // by how much the stamps may err to the wrong side
};

// Packets from `peer` to the writer whose receive stamps fall into bin = receive_raw_ns /
// kHullBinNs. A bin may be written in several lines (late transmit stamps); their points simply add
// up.
struct HullBin {
  int64_t t_raw_ns = 0;
  std::string peer;
  int path = 0;  // index of the port pair, 0 or 1
  int64_t bin = 0;
  uint64_t received = 0, lost = 0, duplicated = 0;
  double purity = 0;  // share of trains that kept their spacing, 0..1: a diagnosis, never a filter
  std::vector<HullPoint> points;
  // The interface of both hosts that the packets took; empty: the first of each (nic_name of hello).
  std::string interface = {};
};

// A report over one window, for people and for jq; the solver does not read it. offset of the
// peer's clock to ours = (alpha - 1) * (x - x0) + beta, x on our clock, x0 the window's centre, no
// delay in it.
struct WindowStats {
  int64_t t_raw_ns = 0;
  uint64_t window_id = 0;
  std::string peer;
  int64_t start_raw_ns = 0, end_raw_ns = 0;
  double alpha = 1;
  int64_t beta_ns = 0, lo_ns = 0, hi_ns = 0;  // estimate and guaranteed interval at x0
  uint64_t pairs = 0, sent = 0, received = 0, lost = 0;
  double purity = 0;
  int64_t min_rtt_ns = 0;
  StampKind kind = StampKind::None;
  std::string status;  // ok, weak or failed
  std::string reason;  // empty when ok
  uint64_t dropped_auth = 0, dropped_replay = 0, dropped_version = 0, dropped_malformed = 0;
  std::string interface = {};  // as in HullBin
};

// The prober's view of one peer: hello, burst, steady, backoff, suspect or down.
struct EdgeState {
  int64_t t_raw_ns = 0;
  std::string peer, state, reason;
  double trains_per_s = 0;
  std::string interface = {};  // as in HullBin
};

// Something a person should know: no_path, realtime_step, auth, raw_jump, disk_full, takeover, ...
struct ClockFault {
  int64_t t_raw_ns = 0;
  std::string kind, peer, detail;  // peer may be empty
  uint64_t count = 1;
};

using ClockRecord = std::variant<ClockHello, ClockSnapshot, GpuSnapshot, HullBin, WindowStats,
                                 EdgeState, ClockFault>;

}  // namespace lockstep
