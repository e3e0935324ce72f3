// Every option there is, in one table: the environment, the JSON file, `lockstep config` and
// docs/configuration.md are all made from it or checked against it. Adding an option is adding one
// line. dumper/options/config.h reads the values.
//
//   name      in JSON as written, in the environment as LOCKSTEP_ and upper case
//   default   as a user would write it; empty: unset, and the help says what that means
//   range     numbers `low..high`, choices `a|b|c`, otherwise empty
//   help      one sentence; it ends with what the value costs or changes, in the unit of the name
#pragma once

#include <cstddef>
#include <cstdint>

#include "lockstep/config_clock.h"

namespace lockstep {

enum class OptionType : uint8_t {
  Flag,    // 0 or 1; also true, false, yes, no, on, off
  Number,  // whole, not negative
  Real,    // with a decimal point
  Choice,
  Text,
  Events,  // presets, kind names joined by commas, or a number (dumper/options/event_mask.h)
};

// X(id, name, type, default, range, section, help)
// clang-format off
#define LOCKSTEP_OPTIONS(X) \
  X(Enable, "enable", Flag, "", "", "activation", \
    "1 records, 0 never does; unset: records only when NCCL_PROFILER_PLUGIN names this library or NCCL_INSPECTOR_ENABLE is 1") \
  X(Config, "config", Text, "", "", "activation", \
    "path of a JSON file with options") \
  X(Verbose, "verbose", Flag, "0", "", "activation", \
    "1 also says on stderr what NCCL's logger would only show with NCCL_DEBUG=INFO") \
  X(Events, "events", Events, "proxy", "", "recording", \
    "what to record: api, coll, kernel, proxy, step or all, each with everything before it; kind names joined by commas; or NCCL's mask as a number") \
  X(Host, "host", Text, "", "", "recording", \
    "host name to record; unset: the machine's own. Needed where several machines or containers share a name") \
  X(Dir, "dir", Text, "", "", "files", \
    "run directory; %h is the host, %p the process id, %r the rank, %j the job id. Unset: lockstep-%j in a job, else lockstep-%h-%p") \
  X(DumpIntervalUs, "dump_interval_us", Number, "1000000", "1000..3600000000", "files", \
    "longest time in microseconds that a record waits before it is written; full buffers are written at once") \
  X(RotateMb, "rotate_mb", Number, "256", "1..1048576", "files", \
    "size in MiB at which a process starts its next segment file; after some 500 communicators it does so too") \
  X(MaxDiskMb, "max_disk_mb", Number, "0", "0..1073741824", "files", \
    "most MiB that one process keeps on disk, 0 for no limit; beyond it the oldest segments go and are counted") \
  X(Sync, "sync", Choice, "none", "none|chunk|interval", "files", \
    "when to force data to the disk: never, after each chunk, or once per dump interval; it matters for a power cut, not for a killed process") \
  X(ZstdLevel, "zstd_level", Number, "1", "1..19", "files", \
    "compression of segments; a higher level takes more processor time") \
  X(BufferMb, "buffer_mb", Number, "256", "4..1048576", "memory", \
    "most MiB of buffers in a process; beyond it the least valuable kinds are shed and counted") \
  X(CrashSafe, "crash_safe", Flag, "1", "", "memory", \
    "1 keeps the buffers in a shared mapping, so that `lockstep recover` finds what a killed process had recorded") \
  X(ShmDir, "shm_dir", Text, "", "", "memory", \
    "folder for that mapping; unset: /dev/shm when it has plenty of room, else local temporary storage") \
  X(OverheadPercent, "overhead_percent", Real, "0", "0..100", "memory", \
    "most percent of the process's time that recording may take, 0 for no limit; beyond it kinds are switched off and this is recorded") \
  X(Chain, "chain", Text, "", "", "together with others", \
    "paths of other profiler plugins, joined by colons, that get the same events") \
  X(PrometheusDir, "prometheus_dir", Text, "", "", "together with others", \
    "folder for a Prometheus text file of each process; unset: none") \
  LOCKSTEP_CLOCK_OPTIONS(X) \
  X(Duckdb, "duckdb", Text, "", "", "command", \
    "path of libduckdb.so for `lockstep query`; unset: beside the command, then the loader's path")
// clang-format on

enum class Option : uint8_t {
#define LOCKSTEP_OPTION_ID(id, name, type, value, range, section, help) id,
  LOCKSTEP_OPTIONS(LOCKSTEP_OPTION_ID)
#undef LOCKSTEP_OPTION_ID
};

struct OptionRow {
  const char* name;
  OptionType type;
  const char* value;  // the default
  const char* range;
  const char* section;
  const char* help;
};

inline constexpr OptionRow kOptions[] = {
#define LOCKSTEP_OPTION_ROW(id, name, type, value, range, section, help) \
  {name, OptionType::type, value, range, section, help},
    LOCKSTEP_OPTIONS(LOCKSTEP_OPTION_ROW)
#undef LOCKSTEP_OPTION_ROW
};
inline constexpr size_t kOptionCount = sizeof(kOptions) / sizeof(kOptions[0]);

constexpr const OptionRow& option_row(Option option) {
  return kOptions[static_cast<size_t>(option)];
}

// Names of other programs that mean one of ours, honoured where our own name is not given at the
// same level.
struct OptionAlias {
  const char* environment;  // whole name, or empty
  const char* key;          // in JSON, or empty
  Option option;
  bool says_so;  // a notice names our own option; false where the other name is NCCL's
};
inline constexpr OptionAlias kOptionAliases[] = {
    {"NCCL_PROFILE_EVENT_MASK", "", Option::Events, false},
    {"XLA_ENABLE_DISTRIBUTED_PROFILING", "enabled", Option::Clock, true},
    {"XLA_PROBE_CADENCE_US", "probe_cadence_us", Option::ClockCadenceUs, true},
    {"XLA_PROBE_WINDOW_S", "probe_window_s", Option::ClockWindowS, true},
    {"XLA_PACKET_SPACING_US", "packet_spacing_us", Option::ClockSpacingUs, true},
    {"XLA_SNAPSHOT_PERIOD_MS", "snapshot_period_ms", Option::ClockSnapshotMs, true},
    {"XLA_DIST_PROF_OUTPUT_DIR", "output_dir", Option::ClockOut, true},
};

}  // namespace lockstep
