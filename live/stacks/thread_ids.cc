#include "live/stacks/thread_ids.h"

#include <dirent.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "base/system.h"
#include "base/text.h"
#include "live/stacks/elf_file.h"

namespace lockstep::live {
namespace {

constexpr size_t kStatusBytes = 1 << 16;

// The last of "NSpid:\t81233\t17", which is the id in the innermost namespace; 0 where there is no such line.
uint32_t innermost_id(std::string_view status) {
  const size_t line = status.find("NSpid:");
  if (line == std::string_view::npos) return 0;
  std::string_view ids = status.substr(line, status.find('\n', line) - line);
  ids.remove_prefix(ids.find_last_of("\t :") + 1);
  return parse_number<uint32_t>(ids).value_or(0);
}

std::map<uint32_t, uint32_t> by_inner_id(uint32_t pid) {
  std::map<uint32_t, uint32_t> threads;
  for (const uint32_t id : thread_ids_of(pid)) {
    const Result<std::string> status = read_small_file(
        "/proc/" + std::to_string(pid) + "/task/" + std::to_string(id) + "/status", kStatusBytes);
    const uint32_t inside = status.ok() ? innermost_id(status.value()) : 0;
    threads[inside != 0 ? inside : id] = id;
  }
  return threads;
}

// The offset of `tid` in glibc's struct pthread: a descriptor of three 32-bit words, the field's bits, its
// count and its offset in bytes (nptl_db/structs.def).
std::optional<uint64_t> offset_of_tid(uint32_t pid, const TargetMemory& memory,
                                      const std::vector<Mapping>& mappings) {
  constexpr uint32_t kBits = 32, kLargestOffset = 1 << 14;
  std::string tried;
  for (const Mapping& mapping : mappings) {
    const std::string name = base_name(mapping.path);
    if (mapping.offset != 0 || mapping.path == tried ||
        (!starts_with(name, "libc.so") && !starts_with(name, "libc-") &&
         !starts_with(name, "libpthread")))
      continue;
    tried = mapping.path;
    const Result<ElfFile> elf =
        ElfFile::open("/proc/" + std::to_string(pid) + "/root" + mapping.path);
    if (!elf.ok()) continue;
    const std::optional<uint64_t> symbol = elf.value().symbol("_thread_db_pthread_tid");
    const std::optional<uint64_t> bias = elf.value().load_bias(mapping);
    std::array<uint32_t, 3> field{};
    if (symbol && bias && memory.read_value(*symbol + *bias, &field) && field[0] == kBits &&
        field[1] == 1 && field[2] < kLargestOffset)
      return field[2];
  }
  return std::nullopt;
}

}  // namespace

std::vector<uint32_t> thread_ids_of(uint32_t pid) {
  std::vector<uint32_t> threads;
  const std::string folder = "/proc/" + std::to_string(pid) + "/task";
  const std::unique_ptr<DIR, int (*)(DIR*)> tasks(opendir(folder.c_str()), closedir);
  while (const dirent* entry = tasks == nullptr ? nullptr : readdir(tasks.get()))
    if (const auto id = parse_number<uint32_t>(entry->d_name)) threads.push_back(*id);
  return threads;
}

ThreadIds ThreadIds::of(uint32_t pid, const TargetMemory& memory,
                        const std::vector<Mapping>& mappings) {
  ThreadIds ids;
  ids.refresh(pid);
  ids.tid_in_pthread_ = offset_of_tid(pid, memory, mappings);
  return ids;
}

void ThreadIds::refresh(uint32_t pid) { ours_ = by_inner_id(pid); }

uint32_t ThreadIds::id_of(uint64_t task, uint64_t pthread, const TargetMemory& memory) const {
  uint32_t id = 0;
  if (tid_in_pthread_ && pthread != 0 && memory.read_value(pthread + *tid_in_pthread_, &id)) {
    const auto found = ours_.find(id);
    if (found != ours_.end()) return found->second;
  }
  const auto found = task <= UINT32_MAX ? ours_.find(static_cast<uint32_t>(task)) : ours_.end();
  return found == ours_.end() ? 0 : found->second;
}

}  // namespace lockstep::live
