// The clock prober as its owner sees it: start it, stop it. The plugin starts it at the first
// enabled init and stops it at the last finalize; lockstep-clockd does the same for hosts without
// ranks. Both calls return at once: everything (rendezvous, waiting to be this host's leader,
// probing, writing `<host>.clock`) happens on threads of its own with all signals blocked. start()
// while running only counts a user; the last stop() ends it and waits 50 ms at most. After fork()
// the child has no prober and holds none of its sockets and locks.
//
// It never leaves loopback without a key unless told so, never changes a clock, a network card or a
// priority, and reads no option from the environment itself (only facts of the job, see
// job_facts.h).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lockstep/clock_record.h"
#include "lockstep/status.h"

namespace lockstep::clocksync {

// The keys of LOCKSTEP_CLOCK_*; the numbers are the defaults.
struct ClockSyncOptions {
  std::string run_directory = ".";  // LOCKSTEP_CLOCK_OUT: where <host>.clock goes
  std::string rendezvous;           // "", dir:PATH, tcp:HOST:PORT, slurm, static:H1,H2:PORT, none
  std::string job;                  // LOCKSTEP_CLOCK_JOB; empty: found out from the environment
  std::string fallback_job;         // when the environment knows no job either
  std::string host;                 // empty: gethostname()
  std::string pod;                  // empty: SLURM's switch, else the /24 of the address
  std::string key_file;             // 32 secret bytes, readable by the owner only
  bool insecure = false;            // probe beyond loopback without a key
  uint16_t port = 0;                // 0: any free port (not with slurm and static lists)
  uint32_t expected_hosts = 0;      // 0: unknown
  uint32_t cadence_us = 100'000;
  uint32_t burst_cadence_us = 10'000;
  uint32_t train = 3;
  uint32_t spacing_us = 20;
  uint32_t window_s = 4;
  uint32_t snapshot_ms = 100;
  uint32_t degree = 8;
  uint32_t anchors = 2;
  uint32_t flush_ms = 1000;
  double d_ns_s2 = 100;
  double rho_ppm = 200;
  double cpu_cap_percent = 2;          // of one core
  uint32_t packets_per_s_cap = 2000;   // sent by this host
  bool kernel_stamps = true;           // false: application stamps only, for tests
  std::string virtual_clock;           // tests: parse_virtual_clock() of clock_source.h
  std::vector<ClockSetting> settings;  // what the hello record says of the configuration
  std::function<void(const std::string&)>
      log;  // one sentence, called from the prober's threads; may be empty
};

// Refuses impossible options with a sentence; everything that can fail later is logged and recorded
// instead.
Status start_clock_sync(const ClockSyncOptions& options);
void stop_clock_sync();

// What the prober has done since it started; all zero when it is off.
struct ClockSyncHealth {
  bool leader = false;
  uint32_t hosts = 0, edges = 0, edges_up = 0;
  double cpu_percent = 0;  // of one core, the prober's thread
  uint64_t packets_sent = 0, packets_received = 0, bytes_sent = 0, points = 0;
  std::string counters;  // "name=value" of every counter that is not zero
};
ClockSyncHealth clock_sync_health();

}  // namespace lockstep::clocksync
