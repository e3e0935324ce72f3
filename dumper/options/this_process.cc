#include "dumper/options/this_process.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "base/launcher.h"
#include "base/system.h"
#include "lockstep/version.h"

namespace lockstep::dumper {
namespace {

std::string small_file(const char* path) {
  const Result<std::string> text = read_small_file(path, 4096);
  return text.ok() ? text.value() : std::string();
}

// Field 22 of /proc/self/stat, counted after the ")" that ends the program's name.
uint64_t process_start_ticks() {
  const std::string stat = small_file("/proc/self/stat");
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
  const bool given = host != nullptr && host[0] != '\0';
  copy_text(arena->host, sizeof arena->host, given ? host : this_host());
  for (char* c = arena->host; *c != '\0'; ++c) {
    if (*c == '/' || static_cast<unsigned char>(*c) < ' ')
      *c = '_';  // it becomes part of file names
  }
  copy_text(arena->boot_id, sizeof arena->boot_id,
            until_newline(small_file("/proc/sys/kernel/random/boot_id")));
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
  facts.command = until_newline(small_file("/proc/self/comm"));
  facts.abi_version = arena.abi_version;
  facts.activation_mask = config.u64(Option::Events);
  facts.library_version = kVersion;
  facts.tick_source = tick_source;
  const auto keep = [&facts](const char* name) {
    if (const char* value = getenv(name))
      facts.job.push_back({name, std::string(value, strnlen(value, 256))});
  };
  for (const LaunchVariable& variable : kLaunchVariables) keep(variable.name);
  keep("CUDA_VISIBLE_DEVICES");
  for (size_t i = 0; i < kOptionCount; ++i) {
    const auto option = static_cast<Option>(i);
    facts.options.push_back({kOptions[i].name, config.text(option),
                             kOriginNames[static_cast<size_t>(config.origin(option))]});
  }
  facts.settings_digest = digest_of(facts.options);
  return facts;
}

}  // namespace lockstep::dumper
