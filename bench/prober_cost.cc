// What probing clocks costs one host with a preset (the default settings when none is named):
// processor time by getrusage and bandwidth on the wire, for a host with 1 and with 8 neighbours
// (the most at the default degree), and with probing off.
//
//   build/bench/prober_cost [SECONDS [PRESET]]
//
// Each "host" is a process of its own on loopback; the figure is that of host 0 after start-up and
// burst are over. On loopback the receiver's kernel work is charged to the sender, so a real
// network card costs less here, not more. One JSON object per line.
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "clocksync/probe/clock_presets.h"
#include "clocksync/probe/clock_sync.h"
#include "clocksync/wire/packet.h"

namespace {

using lockstep::clocksync::clock_sync_health;
using lockstep::clocksync::ClockSyncHealth;
using lockstep::clocksync::ClockSyncOptions;

constexpr unsigned kSettleS = 20;  // rendezvous, burst, and the first looks at the interval
// Ethernet, IPv4 and UDP headers, frame check and gap of each packet.
constexpr double kFramingBytes = 14 + 20 + 8 + 4 + 20;

double cpu_s() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void be_host(const std::string& directory, unsigned number, unsigned hosts, unsigned seconds,
             const std::string& preset) {
  ClockSyncOptions options;
  lockstep::clocksync::apply_preset(preset, &options);
  options.run_directory = directory;
  options.job = "prober_cost";
  options.host = "host" + std::to_string(number);
  options.expected_hosts = hosts;
  if (hosts > 1 && !lockstep::clocksync::start_clock_sync(options).ok()) _exit(3);
  sleep(kSettleS);
  const ClockSyncHealth before = clock_sync_health();
  const double cpu_before_s = cpu_s();
  sleep(seconds);
  const double cpu_percent = 100 * (cpu_s() - cpu_before_s) / seconds;
  const ClockSyncHealth after = clock_sync_health();
  if (number == 0) {
    const double packets_per_s =
        static_cast<double>(after.packets_sent - before.packets_sent) / seconds;
    const double wire_bytes =
        static_cast<double>(lockstep::clocksync::kPacketBytes) + kFramingBytes;
    std::printf(
        "{\"preset\":\"%s\",\"neighbours\":%u,\"up\":%u,\"seconds\":%u,\"cpu_percent_of_a_core\":%."
        "3f,"
        "\"packets_sent_per_s\":%.1f,\"mbit_per_s_sent\":%.3f}\n",
        preset.c_str(), hosts - 1, after.peers_up, seconds, cpu_percent, packets_per_s,
        packets_per_s * wire_bytes * 8e-6);
    std::fflush(stdout);
  }
  lockstep::clocksync::stop_clock_sync();
  _exit(0);
}

void measure(unsigned hosts, unsigned seconds, const std::string& preset) {
  char directory[] = "/tmp/lockstep-prober-cost-XXXXXX";
  if (mkdtemp(directory) == nullptr) std::exit(3);
  std::vector<pid_t> children;
  for (unsigned i = 0; i < hosts; ++i) {
    const pid_t child = fork();
    if (child == 0) be_host(directory, i, hosts, seconds, preset);
    children.push_back(child);
  }
  for (const pid_t child : children) waitpid(child, nullptr, 0);
  const std::string remove = std::string("rm -rf ") + directory;
  if (std::system(remove.c_str()) != 0) std::perror("rm");
}

}  // namespace

int main(int argc, char** argv) {
  const auto seconds = static_cast<unsigned>(argc > 1 ? std::atoi(argv[1]) : 20);
  const std::string preset = argc > 2 ? argv[2] : "default";
  ClockSyncOptions known;
  if (!lockstep::clocksync::apply_preset(preset, &known)) {
    std::fprintf(stderr, "prober_cost: no preset is named %s; docs/clock.md lists them\n",
                 preset.c_str());
    return 2;
  }
  setenv("NCCL_SOCKET_IFNAME", "lo", 1);
  for (const unsigned hosts : {1u, 2u, 9u}) measure(hosts, seconds == 0 ? 1 : seconds, preset);
  return 0;
}
