// What the plugin takes beside time: memory at rest with 8 communicators, memory while a thread
// records as fast as it can, and how long the last finalize takes, idle and with a backlog. With
// --peer the same for another plugin.
//
//   build/bench/footprint [PLUGIN.so] [--peer OTHER.so]
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "base/clock_ns.h"
#include "bench/plugin_host.h"
#include "plugin/record/tick_clock.h"

namespace {

using namespace lockstep;

// Resident bytes of this process, shared mappings included.
double resident_mib() {
  long pages = 0, resident = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
  if (file != nullptr) std::fclose(file);
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

double ms_since(uint64_t ns) {
  return static_cast<double>(static_cast<uint64_t>(mono_now_ns()) - ns) / 1e6;
}

void record(bench::Host& host, unsigned operations) {
  bench::Descr coll = bench::descriptor(Kind::Coll, nullptr);
  for (unsigned i = 0; i < operations; ++i) {
    void* parent = host.start(coll);
    host.stop(parent);
    for (uint8_t channel = 0; channel < 2; ++channel) {
      bench::Descr d = bench::descriptor(Kind::KernelCh, parent);
      d.kernel_ch = {channel, static_cast<uint64_t>(real_now_ns())};
      void* kernel = host.start(d);
      host.state(kernel, abi::kKernelChStop, static_cast<uint64_t>(real_now_ns()));
      host.stop(kernel);
    }
  }
}

void measure(const std::string& path) {
  bench::Host host = bench::Host::load(path);
  const double before = resident_mib();
  std::vector<void*> contexts(8);
  for (size_t i = 0; i < contexts.size(); ++i) {
    host.init(0x1000 + i);
    contexts[i] = host.context;
  }
  record(host, 100);
  sleep(2);
  const double rest = resident_mib() - before;
  record(host, 500000);
  const double load = resident_mib() - before;
  sleep(2);
  for (size_t i = 1; i < contexts.size(); ++i) host.table.finalize(contexts[i]);
  uint64_t begin = static_cast<uint64_t>(mono_now_ns());
  host.table.finalize(contexts[0]);
  const double idle = ms_since(begin);
  host.init(0x2000);
  record(host, 200000);
  begin = static_cast<uint64_t>(mono_now_ns());
  host.finalize();
  std::printf("%-44s %9.1f %9.1f %9.1f %9.1f\n", host.name.c_str(), rest, load, idle,
              ms_since(begin));
  std::fflush(stdout);
}

// Each plugin in a process of its own, so that neither sees the other's memory.
void measure_apart(const std::string& path) {
  const pid_t child = fork();
  if (child == 0) {
    measure(path);
    std::exit(0);
  }
  waitpid(child, nullptr, 0);
}

}  // namespace

int main(int argc, char** argv) {
  std::string ours = "build/libnccl-profiler.so", peer;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--peer") == 0 && i + 1 < argc) {
      peer = argv[++i];
    } else {
      ours = argv[i];
    }
  }
  setenv("LOCKSTEP_ENABLE", "1", 1);
  setenv("LOCKSTEP_EVENTS", "all", 0);
  setenv("LOCKSTEP_DIR", "/tmp/lockstep-bench-%p", 0);
  std::printf("%-44s %9s %9s %9s %9s\n", "", "MiB rest", "MiB load", "fin. ms", "backl. ms");
  std::fflush(stdout);
  measure_apart(ours);
  if (!peer.empty()) measure_apart(peer);
  return 0;
}
