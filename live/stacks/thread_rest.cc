#include "live/stacks/thread_rest.h"

#include <string>

#include "base/system.h"
#include "base/text.h"

namespace lockstep::live {
namespace {

constexpr size_t kFileBytes = 1 << 16;

// What follows "\nNAME:\t" on its line; empty where there is none.
std::string_view field(std::string_view status, std::string_view name) {
  const size_t at = status.find(name);
  if (at == std::string_view::npos) return {};
  status.remove_prefix(at + name.size());
  return status.substr(0, status.find('\n'));
}

}  // namespace

std::optional<uint64_t> switches_at_rest(std::string_view syscall, std::string_view status) {
  const std::string_view state = field(status, "\nState:\t");
  const bool stopped = !state.empty() && (state.front() == 'T' || state.front() == 't');
  const bool off = !state.empty() && state.front() != 'R' && !syscall.empty() &&
                   !starts_with(syscall, "running");
  const auto own = parse_number<uint64_t>(field(status, "\nvoluntary_ctxt_switches:\t"));
  const auto forced = parse_number<uint64_t>(field(status, "\nnonvoluntary_ctxt_switches:\t"));
  if ((!stopped && !off) || !own || !forced) return std::nullopt;
  return *own + *forced;
}

std::optional<uint64_t> switches_at_rest(uint32_t pid, uint32_t thread) {
  const std::string folder =
      "/proc/" + std::to_string(pid) + "/task/" + std::to_string(thread) + "/";
  const Result<std::string> syscall = read_small_file(folder + "syscall", kFileBytes);
  const Result<std::string> status = read_small_file(folder + "status", kFileBytes);
  if (!status.ok()) return std::nullopt;
  return switches_at_rest(syscall.ok() ? syscall.value() : std::string(), status.value());
}

}  // namespace lockstep::live
