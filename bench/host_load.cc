// What the host's sampler costs on a host of 8 processes with 4 threads each. First its parts, one reading
// right after the other. Then the sampler as a job runs it, ten readings a second: the processor time of
// this process, which does nothing else, wake-ups included. Usage: host_load [SECONDS]
#include "hostload/service/host_load.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

#include "base/clock_ns.h"
#include "hostload/record/load_file.h"
#include "hostload/sample/kernel_file.h"
#include "hostload/sample/sampler.h"
#include "hostload/sample/task_files.h"
#include "test/unit/hostload/sample/memory_file.h"

namespace {

using namespace lockstep;
using namespace lockstep::hostload;

constexpr size_t kProcesses = 8, kThreads = 4;
constexpr size_t kBlocks = 129;  // of the memory file of a process that records little

// A process that records and does nothing: its threads sleep, and its memory file names them.
pid_t start_process(const std::string& folder, size_t number, int ready) {
  const pid_t child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  MemoryFile memory(folder, std::to_string(number));
  std::string boot = read_kernel_file("/proc/sys/kernel/random/boot_id");
  boot.pop_back();
  std::strcpy(memory.header()->boot_id, boot.c_str());
  std::strcpy(memory.header()->run_dir, folder.c_str());
  memory.header()->pid = static_cast<uint32_t>(getpid());
  memory.header()->process_start = start_time(read_kernel_file("/proc/self/stat"));
  memory.header()->process_uid = number;
  memory.write();
  for (size_t i = kThreads; i < kBlocks; ++i) memory.put_block(i, 0, "", 0);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i) {
    int named[2];
    if (pipe(named) != 0) _exit(1);
    threads.emplace_back([named] {
      const auto tid = static_cast<uint32_t>(syscall(SYS_gettid));
      if (write(named[1], &tid, sizeof tid) < 0) _exit(1);
      pause();
    });
    uint32_t tid = 0;
    if (read(named[0], &tid, sizeof tid) < 0) _exit(1);
    memory.put_block(i, tid, "NCCL Progress");
  }
  if (write(ready, "r", 1) != 1) _exit(1);
  for (;;) pause();
}

double microseconds(int64_t ns, double of) { return static_cast<double>(ns) / 1000 / of; }

void measure_parts(const SamplerOptions& options, int seconds) {
  Sampler sampler(options);
  Result<LoadWriter> writer = LoadWriter::open(options.run_directory, "parts");
  if (!writer.ok()) std::exit(1);
  int64_t first_ns = 0, ticks_ns = 0, writes_ns = 0;
  size_t rows = 0;
  for (int second = 0; second < seconds; ++second) {
    for (uint64_t tick = 0; tick < kTicksASecond; ++tick) {
      const int64_t start_ns = thread_cpu_now_ns();
      sampler.tick();
      (tick == 0 ? first_ns : ticks_ns) += thread_cpu_now_ns() - start_ns;
    }
    const int64_t start_ns = thread_cpu_now_ns();
    LoadChunk chunk = sampler.take();
    rows += chunk.thread_times.size();
    if (!writer.value().append(&chunk).ok()) std::exit(1);
    writes_ns += thread_cpu_now_ns() - start_ns;
  }
  const auto bytes = std::filesystem::file_size(writer.value().path());
  std::printf("threads sampled                        %zu\n",
              rows / kTicksASecond / static_cast<size_t>(seconds));
  std::printf("reading their schedstat                %.1f us\n",
              microseconds(ticks_ns, seconds * (kTicksASecond - 1.0)));
  std::printf("the reading of each second, with all   %.1f us\n", microseconds(first_ns, seconds));
  std::printf("writing a second                       %.1f us, %.0f bytes\n",
              microseconds(writes_ns, seconds), static_cast<double>(bytes) / seconds);
}

void measure_service(const SamplerOptions& options, int seconds) {
  hostload::HostLoad load;
  if (!load.start({options, {}}).ok()) std::exit(1);
  // In its first seconds it looks at every block of every process.
  std::this_thread::sleep_for(std::chrono::seconds(12));
  const int64_t start_ns = clock_now_ns(CLOCK_PROCESS_CPUTIME_ID);
  std::this_thread::sleep_for(std::chrono::seconds(seconds));
  const int64_t cpu_ns = clock_now_ns(CLOCK_PROCESS_CPUTIME_ID) - start_ns;
  std::printf("of a core, as a job runs it            %.3f %%\n",
              microseconds(cpu_ns, seconds) / 1e6 * 100);
  const int64_t stop_ns = mono_now_ns();
  load.stop();
  std::printf("its end waits for it                   %.1f us\n",
              microseconds(mono_now_ns() - stop_ns, 1));
}

}  // namespace

int main(int argc, char** argv) {
  const int seconds = argc > 1 ? std::atoi(argv[1]) : 20;
  char name[] = "/dev/shm/lockstep-bench-XXXXXX";
  const std::string folder = mkdtemp(name);
  int ready[2];
  if (pipe(ready) != 0) return 1;
  std::vector<pid_t> children;
  for (size_t i = 0; i < kProcesses; ++i) children.push_back(start_process(folder, i, ready[1]));
  for (size_t i = 0; i < kProcesses; ++i) {
    char byte = 0;
    if (read(ready[0], &byte, 1) != 1) return 1;
  }
  SamplerOptions options;
  options.host = "bench";
  options.run_directory = folder;
  options.memory_folders = {folder, "/dev/shm", "/tmp"};
  measure_parts(options, seconds);
  measure_service(options, seconds);
  for (const pid_t child : children) kill(child, SIGKILL);
  for (const pid_t child : children) waitpid(child, nullptr, 0);
  std::filesystem::remove_all(folder);
}
