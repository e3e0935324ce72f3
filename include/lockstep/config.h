// Every option there is, in one table: the environment, the JSON file, `lockstep config` and
// docs/configuration.md are all made from it or checked against it. Adding an option is adding one
// line. dumper/options/config.h reads the values; those of the section "clocks" reach the prober through
// clocksync/probe/clock_presets.h.
//
//   name      in JSON as written, in the environment as LOCKSTEP_ and upper case
//   default   as a user would write it; empty: unset, and the help says what that means
//   range     numbers `low..high`, choices `a|b|c`, otherwise empty
//   help      one sentence; it ends with what the value costs or changes, in the unit of the name
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lockstep {

enum class OptionType : uint8_t {
  Flag,    // 0 or 1; also true, false, yes, no, on, off
  Number,  // whole, not negative
  Real,    // with a decimal point
  Choice,
  Text,
  Kinds,   // presets, kind names joined by commas, or a number (dumper/options/event_mask.h)
  Events,  // the same, and perhaps `:1/N`
};

// X(id, name, type, default, range, section, help)
// clang-format off
#define LOCKSTEP_OPTIONS(X) \
  X(Enable, "enable", Flag, "", "", "activation", \
    "1 records, 0 never does; unset: records only when NCCL_PROFILER_PLUGIN names this library or NCCL_INSPECTOR_ENABLE is 1") \
  X(Config, "config", Text, "", "", "activation", \
    "path of a JSON file with options") \
  X(Verbose, "verbose", Flag, "0", "", "activation", \
    "1 also writes to stderr what NCCL's logger shows only with NCCL_DEBUG=INFO") \
  X(Events, "events", Events, "proxy", "", "recording", \
    "what to record: api, coll, kernel, proxy, step or all, each with everything before it; kind names joined by commas; or NCCL's mask as a number. step:1/16 records network steps of one operation in 16 only, the same ones on all ranks") \
  X(CaptureEvents, "capture_events", Kinds, "step", "", "recording", \
    "kinds that are recorded besides while a capture lasts that the program begins by itself or capture_every does; a capture that somebody asks for names its own") \
  X(CaptureEvery, "capture_every", Text, "", "", "recording", \
    "PERIOD:WINDOW such as 60s:2s: captures for so long at each multiple of the period of the wall clock, so at the same instants on all ranks; unset: never") \
  X(Nvtx, "nvtx", Text, "all", "", "recording", \
    "which NVTX ranges and marks to record where NVTX_INJECTION64_PATH names this library: all (but those of NCCL's own domain), off, or names of domains joined by commas; the one without a name is `default`") \
  X(Host, "host", Text, "", "", "recording", \
    "host name to record; unset: the machine's own. Needed where several machines or containers share a name") \
  X(HostLoad, "host_load", Flag, "1", "", "recording", \
    "1 samples what the host does to the threads that record, by one process per host, for some 0.3 % of a core; 0 does not") \
  X(GpuState, "gpu_state", Flag, "0", "", "recording", \
    "1 also samples clocks, throttling, power and errors of the host's GPUs through NVML, once a second on a thread of its own; needs host_load") \
  X(Stacks, "stacks", Flag, "1", "", "recording", \
    "1 lets `lockstep stacks` of the same user read this process's stacks where the kernel's Yama would refuse it, for ten seconds each time it asks; 0 refuses") \
  X(Dir, "dir", Text, "", "", "files", \
    "run directory; %h is the host, %p the process id, %r the rank, %j the job id. Unset: lockstep-%j in a job, else lockstep-%h-%p") \
  X(DumpIntervalUs, "dump_interval_us", Number, "1000000", "1000..3600000000", "files", \
    "longest time in microseconds that a record waits before it is written; full buffers are written at once") \
  X(Signal, "signal", Choice, "", "USR1|USR2|HUP|SIGUSR1|SIGUSR2|SIGHUP", "files", \
    "signal after which the process writes what it has recorded so far, as `lockstep ctl flush` does where its socket can be reached; refused where the program has a handler for it. Unset: none") \
  X(RotateMb, "rotate_mb", Number, "256", "1..1048576", "files", \
    "size in MiB at which a process starts its next segment file; it also does so after some 500 communicators") \
  X(MaxDiskMb, "max_disk_mb", Number, "0", "0..1073741824", "files", \
    "most MiB that one process keeps on disk, 0 for no limit; beyond it the oldest segments are deleted and counted") \
  X(Sync, "sync", Choice, "none", "none|chunk|interval", "files", \
    "when to force data to the disk: never, after each chunk, or once per dump interval; it matters for a power cut, not for a killed process") \
  X(ZstdLevel, "zstd_level", Number, "1", "1..19", "files", \
    "compression of segments; a higher level takes more processor time") \
  X(BufferMb, "buffer_mb", Number, "256", "4..1048576", "memory", \
    "most MiB of buffers in a process; beyond it the least valuable kinds are shed and counted") \
  X(CrashSafe, "crash_safe", Flag, "1", "", "memory", \
    "1 keeps the buffers in a shared mapping, so that `lockstep recover` finds what a killed process had recorded") \
  X(ShmDir, "shm_dir", Text, "", "", "memory", \
    "folder for that mapping; unset: /dev/shm if it has plenty of room, else local temporary storage") \
  X(OverheadPercent, "overhead_percent", Real, "0", "0..100", "memory", \
    "most percent of the process's time that recording may take, 0 for no limit; beyond it kinds are switched off, and the recording says so") \
  X(Chain, "chain", Text, "", "", "together with others", \
    "paths of other profiler plugins, joined by colons, that get the same events") \
  X(PrometheusDir, "prometheus_dir", Text, "", "", "together with others", \
    "folder for a Prometheus text file of each process; unset: none") \
  X(PrometheusKeepS, "prometheus_keep_s", Number, "60", "0..31536000", "together with others", \
    "seconds that a process's Prometheus files outlive it, so that its last values are scraped; then the next process or `lockstep recover` on that host removes them. 0 removes them at exit") \
  X(Clock, "clock", Flag, "", "", "clocks", \
    "1 probes the clocks of the job's hosts, 0 does not; unset: probes when recording and the job has more than one host") \
  X(ClockPreset, "clock_preset", Choice, "default", "default|high-accuracy|low-overhead|debug", "clocks", \
    "values for those options below that are not set; docs/clock.md has the accuracy and cost of each preset") \
  X(ClockRendezvous, "clock_rendezvous", Text, "", "", "clocks", \
    "how hosts find each other: dir:PATH, tcp:HOST:PORT, slurm, static:HOST,HOST:PORT or none; unset: the run directory, then MASTER_ADDR, then SLURM's node list") \
  X(ClockPort, "clock_port", Number, "0", "0..65535", "clocks", \
    "UDP port of the probes, and TCP port of the rendezvous; 0 takes any, which slurm and static lists cannot use") \
  X(ClockJob, "clock_job", Text, "", "", "clocks", \
    "name of the job, the same on all of its hosts; unset: from SLURM, torchrun, MPI or MASTER_ADDR") \
  X(ClockPod, "clock_pod", Text, "", "", "clocks", \
    "hosts with the same word share a switch; unset: SLURM's topology, else the /24 network") \
  X(ClockKeyFile, "clock_key_file", Text, "", "", "clocks", \
    "file of 32 secret bytes with mode 0600; unset: one is made in the run directory when hosts meet there") \
  X(ClockInsecure, "clock_insecure", Flag, "0", "", "clocks", \
    "1 lets probes without a key leave this machine; anyone on the network can then shift the clocks") \
  X(ClockCadenceUs, "clock_cadence_us", Number, "100000", "500..60000000", "clocks", \
    "microseconds between trains of packets to one neighbour; busy paths are probed more often automatically. Shorter costs processor time") \
  X(ClockBurstUs, "clock_burst_us", Number, "10000", "500..60000000", "clocks", \
    "the same, for the first two seconds with a neighbour") \
  X(ClockTrain, "clock_train", Number, "3", "1..16", "clocks", \
    "packets in a train") \
  X(ClockSpacingUs, "clock_spacing_us", Number, "20", "0..10000", "clocks", \
    "microseconds between the packets of a train; up to 60 are spent spinning") \
  X(ClockWindowS, "clock_window_s", Number, "4", "1..600", "clocks", \
    "seconds that one window_stats line reports on; the alignment itself does not use windows") \
  X(ClockSnapshotMs, "clock_snapshot_ms", Number, "100", "10..10000", "clocks", \
    "milliseconds between readings of all of a host's clocks together") \
  X(ClockFlushMs, "clock_flush_ms", Number, "1000", "100..60000", "clocks", \
    "milliseconds between writes of the clock file: what a crash can lose") \
  X(ClockDegree, "clock_degree", Number, "8", "2..64", "clocks", \
    "neighbours of a host in the mesh; up to one more host than this, everybody probes everybody") \
  X(ClockAnchors, "clock_anchors", Number, "2", "0..16", "clocks", \
    "hosts of a pod that all of its hosts probe once a second, which keeps the bounds of far pairs narrow") \
  X(ClockDNsS2, "clock_d_ns_s2", Real, "100", "0..100000", "clocks", \
    "the largest change of a clock's rate that the guaranteed interval allows for, in ns/s^2") \
  X(ClockRhoPpm, "clock_rho_ppm", Real, "200", "1..10000", "clocks", \
    "the largest error of a clock's rate, in ppm") \
  X(ClockAsymNs, "clock_asym_ns", Number, "", "0..1000000000", "clocks", \
    "declares by how much the fastest packets of the two directions between hosts may differ; then `lockstep clock` also gives the narrower interval that this implies. Unset: nothing is declared") \
  X(ClockOut, "clock_out", Text, "", "", "clocks", \
    "folder that all hosts share, for their clock files; unset: the run directory") \
  X(GpuClock, "gpu_clock", Choice, "passive", "passive|active", "clocks", \
    "active also reads the GPU's clock through CUPTI every clock_snapshot_ms; passive uses NCCL's kernel stamps alone") \
  X(Cupti, "cupti", Text, "", "", "clocks", \
    "path of the CUPTI library for gpu_clock=active, of CUDA 11 or 12; unset: libcupti.so.12 or libcupti.so, as the loader finds them") \
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

// Options whose value is each host's own by its nature: hosts that differ in them are configured alike.
constexpr bool is_each_hosts_own(std::string_view name) {
  return name == option_row(Option::Host).name || name == option_row(Option::ClockPod).name;
}
// What stands for all others together, beside them in every segment and as a setting of its process.
inline constexpr const char* kSettingsDigest = "settings_digest";

// What LOCKSTEP_CLOCK_PRESET sets, of the options that are not given themselves.
struct OptionPreset {
  const char* preset;
  Option option;
  const char* value;
};
inline constexpr OptionPreset kClockPresets[] = {
    {"high-accuracy", Option::ClockCadenceUs, "20000"},
    {"high-accuracy", Option::ClockBurstUs, "5000"},
    {"low-overhead", Option::ClockCadenceUs, "1000000"},
    {"low-overhead", Option::ClockBurstUs, "50000"},
    {"low-overhead", Option::ClockSnapshotMs, "1000"},
    {"low-overhead", Option::ClockDegree, "4"},
    {"debug", Option::ClockCadenceUs, "50000"},
    {"debug", Option::ClockWindowS, "2"},
    {"debug", Option::ClockSnapshotMs, "50"},
    {"debug", Option::ClockFlushMs, "200"},
};

// The configuration file of XLA's distributed profiler: read like LOCKSTEP_CONFIG and under it.
inline constexpr const char* kXlaConfigVariable = "XLA_DIST_PROF_CONFIG";

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
