// lockstep-clockd: the clock prober without NCCL, for hosts that hold no ranks and for tests. It
// runs until SIGINT or SIGTERM, or for --seconds, then prints what it counted.
#include <getopt.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "clocksync/probe/clock_presets.h"
#include "clocksync/probe/clock_sync.h"
#include "dumper/options/load_config.h"

namespace {

using lockstep::clocksync::ClockSyncHealth;
using lockstep::clocksync::ClockSyncOptions;

constexpr char kUsage[] =
    "usage: lockstep-clockd [options]\n"
    "  --dir PATH            run directory, gets <host>.clock (default .)\n"
    "  --host NAME           this host's name (default: the machine's)\n"
    "  --job NAME            default: from SLURM, torchrun, MPI or MASTER_ADDR\n"
    "  --rendezvous HOW      dir:PATH, tcp:HOST:PORT, slurm, static:A=ADDR:PORT,B=..., none\n"
    "  --port N              UDP port, and the port of tcp rendezvous\n"
    "  --expect N            number of hosts, when known\n"
    "  --pod NAME            hosts that share a switch\n"
    "  --key-file PATH       32 secret bytes, mode 0600\n"
    "  --insecure            leave loopback without a key\n"
    "  --preset NAME         default, high-accuracy, low-overhead, debug; give it first\n"
    "  --cadence-us N  --burst-us N  --train N  --spacing-us N  --window-s N  --degree N  "
    "--anchors N  --snapshot-ms N  --flush-ms N\n"
    "  --cpu-cap PERCENT     of one core (default 2)\n"
    "  --application-stamps  do not ask the kernel for stamps\n"
    "  --virtual-clock TEXT  tests: offset_ns=N,skew_ppm=X,wander_ppm=X,x0_ns=N,step=S:NS\n"
    "  --seconds N           stop after N seconds\n"
    "  --verbose             a line each second\n"
    "LOCKSTEP_HOST, LOCKSTEP_CLOCK_* and LOCKSTEP_CONFIG are read as by the plugin; a flag wins.\n";

enum Key {
  kDir = 1,
  kHost,
  kJob,
  kRendezvous,
  kPort,
  kExpect,
  kPod,
  kKeyFile,
  kInsecure,
  kCadence,
  kBurst,
  kTrain,
  kSpacing,
  kWindow,
  kDegree,
  kAnchors,
  kSnapshot,
  kFlush,
  kPreset,
  kCpuCap,
  kApplicationStamps,
  kVirtualClock,
  kSeconds,
  kVerbose,
  kHelp
};

constexpr option kOptions[] = {
    {"dir", required_argument, nullptr, kDir},
    {"host", required_argument, nullptr, kHost},
    {"job", required_argument, nullptr, kJob},
    {"rendezvous", required_argument, nullptr, kRendezvous},
    {"port", required_argument, nullptr, kPort},
    {"expect", required_argument, nullptr, kExpect},
    {"pod", required_argument, nullptr, kPod},
    {"key-file", required_argument, nullptr, kKeyFile},
    {"insecure", no_argument, nullptr, kInsecure},
    {"cadence-us", required_argument, nullptr, kCadence},
    {"burst-us", required_argument, nullptr, kBurst},
    {"train", required_argument, nullptr, kTrain},
    {"spacing-us", required_argument, nullptr, kSpacing},
    {"window-s", required_argument, nullptr, kWindow},
    {"degree", required_argument, nullptr, kDegree},
    {"anchors", required_argument, nullptr, kAnchors},
    {"snapshot-ms", required_argument, nullptr, kSnapshot},
    {"flush-ms", required_argument, nullptr, kFlush},
    {"preset", required_argument, nullptr, kPreset},
    {"cpu-cap", required_argument, nullptr, kCpuCap},
    {"application-stamps", no_argument, nullptr, kApplicationStamps},
    {"virtual-clock", required_argument, nullptr, kVirtualClock},
    {"seconds", required_argument, nullptr, kSeconds},
    {"verbose", no_argument, nullptr, kVerbose},
    {"help", no_argument, nullptr, kHelp},
    {nullptr, 0, nullptr, 0},
};

struct Command {
  ClockSyncOptions options;
  double seconds = 0;  // 0: until a signal
  bool verbose = false;
};

// The text options; false when the key is another.
bool take_text(int key, const char* value, Command* command) {
  ClockSyncOptions& o = command->options;
  switch (key) {
    case kDir:
      o.run_directory = value;
      return true;
    case kHost:
      o.host = value;
      return true;
    case kJob:
      o.job = value;
      return true;
    case kRendezvous:
      o.rendezvous = value;
      return true;
    case kPod:
      o.pod = value;
      return true;
    case kKeyFile:
      o.key_file = value;
      return true;
    case kVirtualClock:
      o.virtual_clock = value;
      return true;
    case kPreset:
      return lockstep::clocksync::apply_preset(value, &o);
    case kInsecure:
      o.insecure = true;
      return true;
    case kApplicationStamps:
      o.kernel_stamps = false;
      return true;
    case kVerbose:
      command->verbose = true;
      return true;
    default:
      return false;
  }
}

bool take_number(int key, const char* text, Command* command) {
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  if (end == text || *end != '\0' || value < 0 || value > 4e9) return false;
  const auto whole = static_cast<uint32_t>(value);
  ClockSyncOptions& o = command->options;
  switch (key) {
    case kPort:
      o.port = static_cast<uint16_t>(whole);
      return whole <= 65535;
    case kExpect:
      o.expected_hosts = whole;
      return true;
    case kCadence:
      o.cadence_us = whole;
      return true;
    case kBurst:
      o.burst_cadence_us = whole;
      return whole > 0;
    case kTrain:
      o.train = whole;
      return true;
    case kSpacing:
      o.spacing_us = whole;
      return true;
    case kWindow:
      o.window_s = whole;
      return true;
    case kDegree:
      o.degree = whole;
      return true;
    case kAnchors:
      o.anchors = whole;
      return true;
    case kSnapshot:
      o.snapshot_ms = whole;
      return whole > 0;
    case kFlush:
      o.flush_ms = whole;
      return whole > 0;
    case kCpuCap:
      o.cpu_cap_percent = value;
      return true;
    case kSeconds:
      command->seconds = value;
      return true;
    default:
      return false;
  }
}

// What the environment and the configuration file say, under the flags.
void take_configuration(ClockSyncOptions* options) {
  using lockstep::Option;
  const lockstep::dumper::LoadedConfig loaded = lockstep::dumper::load_config(environ);
  const lockstep::dumper::Config& config = loaded.config;
  for (const lockstep::dumper::Notice& notice : loaded.notices)
    std::fprintf(stderr, "lockstep-clockd: %s\n", notice.sentence.c_str());
  for (size_t i = 0; i < lockstep::kOptionCount; ++i) {
    const auto option = static_cast<Option>(i);
    lockstep::clocksync::set_option(
        option, {config.u64(option), config.real(option), config.text(option)}, options);
  }
  options->host = config.text(Option::Host);
  if (config.is_set(Option::ClockOut)) options->run_directory = config.text(Option::ClockOut);
}

int usage(std::FILE* out, int code) {
  std::fputs(kUsage, out);
  return code;
}

void print_health(const ClockSyncHealth& health) {
  std::printf(
      "leader=%d hosts=%u edges=%u up=%u cpu=%.2f%% sent=%llu received=%llu points=%llu%s%s\n",
      health.leader ? 1 : 0, health.hosts, health.peers, health.peers_up, health.cpu_percent,
      static_cast<unsigned long long>(health.packets_sent),
      static_cast<unsigned long long>(health.packets_received),
      static_cast<unsigned long long>(health.points), health.counters.empty() ? "" : " | ",
      health.counters.c_str());
  std::fflush(stdout);
}

// Waits for a signal of the set; prints each second when asked to.
void run(const Command& command, const sigset_t& signals) {
  ClockSyncHealth last;
  const double step_s = 1;
  for (double left_s = command.seconds; command.seconds == 0 || left_s > 0; left_s -= step_s) {
    const double pause_s = command.seconds == 0 || left_s > step_s ? step_s : left_s;
    const auto whole_s = static_cast<time_t>(pause_s);
    const timespec pause = {whole_s,
                            static_cast<long>((pause_s - static_cast<double>(whole_s)) * 1e9)};
    if (sigtimedwait(&signals, nullptr, &pause) > 0) break;
    if (command.verbose) print_health(lockstep::clocksync::clock_sync_health());
  }
  print_health(lockstep::clocksync::clock_sync_health());
  lockstep::clocksync::stop_clock_sync();
}

}  // namespace

int main(int argc, char** argv) {
  Command command;
  take_configuration(&command.options);
  int key = 0;
  while ((key = getopt_long(argc, argv, "h", kOptions, nullptr)) != -1) {
    if (key == kHelp || key == 'h') return usage(stdout, 0);
    if (key == '?') return usage(stderr, 2);
    if (take_text(key, optarg, &command) ||
        (optarg != nullptr && take_number(key, optarg, &command)))
      continue;
    std::fprintf(stderr, "lockstep-clockd: \"%s\" is not a value for this option\n", optarg);
    return 2;
  }
  if (optind != argc) return usage(stderr, 2);
  command.options.log = [](const std::string& sentence) {
    std::fprintf(stderr, "lockstep-clockd: %s\n", sentence.c_str());
  };
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  const lockstep::Status started = lockstep::clocksync::start_clock_sync(command.options);
  if (!started.ok()) {
    std::fprintf(stderr, "lockstep-clockd: %s\n", started.message().c_str());
    return 3;
  }
  run(command, signals);
  return 0;
}
