#include "dumper/options/this_process.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "lockstep/version.h"

namespace lockstep::dumper {
namespace {

// What launchers say about the job; written as they are.
constexpr const char* kJobVariables[] = {"SLURM_JOB_ID",
                                         "SLURM_JOBID",
                                         "SLURM_STEP_ID",
                                         "SLURM_PROCID",
                                         "SLURM_LOCALID",
                                         "SLURM_NODEID",
                                         "SLURM_NTASKS",
                                         "SLURM_ARRAY_JOB_ID",
                                         "SLURM_ARRAY_TASK_ID",
                                         "SLURM_HET_GROUP_ID",
                                         "SLURM_RESTART_COUNT",
                                         "SLURM_JOB_NAME",
                                         "TORCHELASTIC_RUN_ID",
                                         "RANK",
                                         "LOCAL_RANK",
                                         "WORLD_SIZE",
                                         "MASTER_ADDR",
                                         "MASTER_PORT",
                                         "OMPI_COMM_WORLD_RANK",
                                         "OMPI_COMM_WORLD_SIZE",
                                         "PMIX_NAMESPACE",
                                         "PMI_RANK",
                                         "PBS_JOBID",
                                         "LSB_JOBID",
                                         "CUDA_VISIBLE_DEVICES"};

std::string read_small_file(const char* path, size_t limit) {
  std::string text;
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return text;
  char buffer[1024];
  ssize_t got;
  while (text.size() < limit && (got = read(fd, buffer, sizeof buffer)) > 0)
    text.append(buffer, static_cast<size_t>(got));
  close(fd);
  if (text.size() > limit) text.resize(limit);
  return text;
}

// Field 22 of /proc/self/stat, counted after the ")" that ends the program's name.
uint64_t process_start_ticks() {
  const std::string stat = read_small_file("/proc/self/stat", 4096);
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return 0;
  const char* field = stat.c_str() + name_end + 1;
  for (int i = 2; i < 22 && field != nullptr; ++i) {
    field = std::strchr(field, ' ');
    if (field != nullptr) ++field;
  }
  return field != nullptr ? std::strtoull(field, nullptr, 10) : 0;
}

void copy_text(char* to, size_t size, const std::string& text) {
  const size_t length = text.size() < size - 1 ? text.size() : size - 1;
  std::memcpy(to, text.data(), length);
  to[length] = '\0';
}

std::string until_newline(std::string text) {
  text.resize(std::min(text.size(), text.find('\n')));
  return text;
}

}  // namespace

void fill_process_identity(const char* host, ArenaHeader* arena) {
  char name[sizeof arena->host] = {};
  if (host == nullptr || host[0] == '\0') {
    gethostname(name, sizeof name - 1);
    host = name[0] != '\0' ? name : "unknown";
  }
  copy_text(arena->host, sizeof arena->host, host);
  for (char* c = arena->host; *c != '\0'; ++c) {
    if (*c == '/' || static_cast<unsigned char>(*c) < ' ')
      *c = '_';  // it becomes part of file names
  }
  copy_text(arena->boot_id, sizeof arena->boot_id,
            until_newline(read_small_file("/proc/sys/kernel/random/boot_id", 64)));
  arena->pid = static_cast<uint32_t>(getpid());
  arena->process_start = process_start_ticks();
}

ProcessFacts this_process_facts(const ArenaHeader& arena, const Config& config,
                                const char* tick_source) {
  ProcessFacts facts;
  facts.host = arena.host;
  facts.boot_id = arena.boot_id;
  facts.pid = arena.pid;
  facts.process_start = arena.process_start;
  facts.command = until_newline(read_small_file("/proc/self/comm", 64));
  facts.abi_version = arena.abi_version;
  facts.activation_mask = config.u64(Option::Events);
  facts.library_version = kVersion;
  facts.tick_source = tick_source;
  for (const char* name : kJobVariables) {
    if (const char* value = getenv(name))
      facts.job.push_back({name, std::string(value, strnlen(value, 256))});
  }
  for (size_t i = 0; i < kOptionCount; ++i) {
    const auto option = static_cast<Option>(i);
    facts.options.push_back({kOptions[i].name, config.text(option),
                             kOriginNames[static_cast<size_t>(config.origin(option))]});
  }
  return facts;
}

}  // namespace lockstep::dumper
