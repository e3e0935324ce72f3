// What the clock prober can be told: the keys of LOCKSTEP_CLOCK_* as numbers and texts, which the
// plugin, lockstep-clockd and the tests fill in. Plain data; start_clock_sync() refuses what is
// impossible. The numbers are the defaults.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lockstep/clock_record.h"

namespace lockstep::clocksync {

struct ClockSyncOptions {
  // Where <host>.clock goes (LOCKSTEP_CLOCK_OUT).
  std::string run_directory = ".";
  // "", dir:PATH, tcp:HOST:PORT, slurm, static:H1,H2:PORT or none.
  std::string rendezvous;
  // Empty: found out from the environment (LOCKSTEP_CLOCK_JOB).
  std::string job;
  // When the environment knows no job either.
  std::string fallback_job;
  // Empty: gethostname().
  std::string host;
  // Empty: SLURM's switch, else the /24 of the address.
  std::string pod;
  // A file of 32 secret bytes, readable by its owner only.
  std::string key_file;
  // Probe beyond loopback without a key.
  bool insecure = false;
  // 0: any free port (not with slurm and static lists).
  uint16_t port = 0;
  // 0: unknown.
  uint32_t expected_hosts = 0;
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
  // Of one core.
  double cpu_cap_percent = 2;
  // Sent by this host.
  uint32_t packets_per_s_cap = 2000;
  // False: application stamps only, for tests.
  bool kernel_stamps = true;
  // Tests: parse_virtual_clock() of clock_source.h.
  std::string virtual_clock;
  // What the hello record says of the configuration.
  std::vector<ClockSetting> settings;
  // Takes one sentence, called from the prober's threads; may be empty.
  std::function<void(const std::string&)> log;
};

}  // namespace lockstep::clocksync
