#include "live/stacks/python_process.h"

#include <algorithm>

#include "base/system.h"
#include "base/text.h"
#include "live/stacks/elf_file.h"

namespace lockstep::live {
namespace {

// The first mapping of each file that may hold an interpreter: the program, and what is named after Python.
std::vector<Mapping> candidates(uint32_t pid, const std::vector<Mapping>& mappings) {
  const std::string program = link_target("/proc/" + std::to_string(pid) + "/exe");
  std::vector<Mapping> found;
  for (const Mapping& mapping : mappings) {
    const std::string name = base_name(mapping.path);
    if (mapping.path != program && !starts_with(name, "libpython") && !starts_with(name, "python"))
      continue;
    const auto seen = std::find_if(found.begin(), found.end(), [&](const Mapping& other) {
      return other.path == mapping.path;
    });
    if (seen == found.end()) {
      found.push_back(mapping);
    } else if (mapping.offset < seen->offset) {
      *seen = mapping;
    }
  }
  return found;
}

// As the process sees the path, which a container makes another than ours. The program itself can be read
// even when its file has been replaced.
Result<ElfFile> open_file(uint32_t pid, const std::string& path) {
  const std::string process = "/proc/" + std::to_string(pid);
  if (path == link_target(process + "/exe")) return ElfFile::open(process + "/exe");
  if (has_ending(path, " (deleted)"))
    return Status::error("it was replaced after the process had started");
  return ElfFile::open(process + "/root" + path);
}

struct Interpreter {
  std::string file;
  uint64_t runtime = 0;
  std::optional<uint64_t> version;  // the address of Py_Version, from 3.11 on
};

std::optional<Interpreter> interpreter_in(const ElfFile& elf, const Mapping& first) {
  const std::optional<uint64_t> bias = elf.load_bias(first);
  std::optional<uint64_t> runtime = elf.symbol("_PyRuntime");
  // A stripped program with nothing exported still has the section, whose first bytes are the structure.
  if (!runtime) runtime = elf.section(".PyRuntime");
  if (!bias || !runtime) return std::nullopt;
  Interpreter found{first.path, *runtime + *bias, elf.symbol("Py_Version")};
  if (found.version) *found.version += *bias;
  return found;
}

PythonVersion version_of(const Interpreter& interpreter, const TargetMemory& memory,
                         const std::vector<Mapping>& mappings) {
  uint64_t hex = 0;  // an unsigned long
  if (interpreter.version && memory.read_value(*interpreter.version, &hex) && hex >> 24 == 3)
    return {static_cast<uint32_t>(hex), true};
  PythonVersion version = version_in_path(interpreter.file);
  for (const Mapping& mapping : mappings)
    if (version.hex == 0) version = version_in_path(mapping.path);
  return version;
}

void find_layout(const TargetMemory& memory, PythonProcess* found) {
  PublishedOffsets published{};
  if (memory.read(found->runtime, published.data(), sizeof published) &&
      published_version(published).hex != 0) {
    found->version = published_version(published);
    Result<PythonLayout> layout = published_layout(published);
    if (layout.ok()) {
      found->layout = layout.value();
    } else {
      found->unknown = layout.message();
    }
    return;
  }
  found->layout = table_layout(found->version);
  if (found->layout) return;
  found->unknown = found->version.hex == 0 ? "nothing says which version it is"
                                           : "it is older than 3.9 or publishes no offsets";
}

Status unreadable(uint32_t pid, const std::string& file, const std::string& why) {
  return Status::error(
      "process " + std::to_string(pid) + ": " + file + " cannot be read (" + why +
      "), so its Python frames are not known; the asker needs the process's own user and "
      "its files");
}

}  // namespace

PythonVersion version_in_path(std::string_view path) {
  constexpr std::string_view kName = "python3.";
  const size_t at = path.rfind(kName);
  if (at == std::string_view::npos) return {};
  std::string_view digits = path.substr(at + kName.size());
  digits = digits.substr(0, digits.find_first_not_of("0123456789"));
  const auto minor = parse_number<uint8_t>(digits);
  if (!minor) return {};
  return {3U << 24 | static_cast<uint32_t>(*minor) << 16, false};
}

Result<std::optional<PythonProcess>> find_python(uint32_t pid, const TargetMemory& memory,
                                                 const std::vector<Mapping>& mappings) {
  Status trouble;
  for (const Mapping& first : candidates(pid, mappings)) {
    const std::string& path = first.path;
    const Result<ElfFile> elf = open_file(pid, path);
    if (!elf.ok()) {
      if (base_name(path).find("python") != std::string::npos)
        trouble = unreadable(pid, path, elf.message());
      continue;
    }
    const std::optional<Interpreter> interpreter = interpreter_in(elf.value(), first);
    if (!interpreter) continue;
    PythonProcess found;
    found.version = version_of(*interpreter, memory, mappings);
    found.file = path;
    found.runtime = interpreter->runtime;
    find_layout(memory, &found);
    return std::optional(std::move(found));
  }
  if (!trouble.ok()) return trouble;
  return std::optional<PythonProcess>();
}

}  // namespace lockstep::live
