#include "live/stacks/thread_rest.h"

#include <string>

#include "base/system.h"
#include "base/text.h"

namespace lockstep::live {
namespace {

constexpr size_t kStatusBytes = 1 << 16;

// What follows "\nNAME:\t" on its line; empty where there is none.
std::string_view field(std::string_view status, std::string_view name) {
  const size_t at = status.find(name);
  if (at == std::string_view::npos) return {};
  status.remove_prefix(at + name.size());
  return status.substr(0, status.find('\n'));
}

}  // namespace

std::optional<uint64_t> switches_at_rest(std::string_view status) {
  const std::string_view state = field(status, "\nState:\t");
  const auto own = parse_number<uint64_t>(field(status, "\nvoluntary_ctxt_switches:\t"));
  const auto forced = parse_number<uint64_t>(field(status, "\nnonvoluntary_ctxt_switches:\t"));
  if (state.empty() || state.front() == 'R' || !own || !forced) return std::nullopt;
  return *own + *forced;
}

std::optional<uint64_t> switches_at_rest(uint32_t pid, uint32_t thread) {
  const Result<std::string> status = read_small_file(
      "/proc/" + std::to_string(pid) + "/task/" + std::to_string(thread) + "/status", kStatusBytes);
  return status.ok() ? switches_at_rest(status.value()) : std::nullopt;
}

}  // namespace lockstep::live
