#include "dumper/options/event_mask.h"

#include <optional>

#include "base/text.h"
#include "lockstep/kind_mask.h"
#include "lockstep/shared_kinds.h"

namespace lockstep::dumper {
namespace {

constexpr uint32_t kAllKinds = (1u << kKinds) - 1;

struct Preset {
  const char* name;
  uint32_t mask;
};
constexpr uint32_t kApi = kind_bit(Kind::GroupApi) | kind_bit(Kind::CollApi) |
                          kind_bit(Kind::P2pApi) | kind_bit(Kind::KernelLaunch);
constexpr uint32_t kColl = kApi | kind_bit(Kind::Group) | kind_bit(Kind::Coll) |
                           kind_bit(Kind::P2p) | kind_bit(Kind::CeColl);
// Without KernelPhase, which only symmetric kernels have and which costs stamps on the GPU.
constexpr uint32_t kKernel =
    kColl | kind_bit(Kind::KernelCh) | kind_bit(Kind::CeSync) | kind_bit(Kind::CeBatch);
constexpr uint32_t kProxy = kKernel | kind_bit(Kind::ProxyOp);
constexpr uint32_t kStep = kProxy | kind_bit(Kind::ProxyStep);
// What a share of the operations is chosen by.
constexpr uint32_t kOperations = kind_bit(Kind::Coll) | kind_bit(Kind::P2p);
constexpr Preset kPresets[] = {{"api", kApi},     {"coll", kColl}, {"kernel", kKernel},
                               {"proxy", kProxy}, {"step", kStep}, {"all", kAllKinds}};
static_assert(kProxy == (kAllKinds & ~(kind_bit(Kind::ProxyStep) | kind_bit(Kind::ProxyCtrl) |
                                       kind_bit(Kind::NetPlugin) | kind_bit(Kind::KernelPhase))));

// 0 when the word is neither a preset nor a kind.
uint32_t word_mask(std::string_view word) {
  for (const Preset& preset : kPresets) {
    if (word == preset.name) return preset.mask;
  }
  for (unsigned kind = 0; kind < kKinds; ++kind) {
    if (word == kKindNames[kind]) return 1u << kind;
  }
  return 0;
}

Result<uint32_t> parse_mask(std::string_view text) {
  const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  const auto mask = parse_number<uint32_t>(hex ? text.substr(2) : text, hex ? 16 : 10);
  if (!mask || *mask > kAllKinds) {
    return Status::error("'" + std::string(text) + "' is not an event mask: a number from 0 to " +
                         std::to_string(kAllKinds) + " is");
  }
  return *mask;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

Result<uint32_t> parse_events(std::string_view text) {
  text = trimmed(text);
  if (!text.empty() && text.front() >= '0' && text.front() <= '9') return parse_mask(text);
  uint32_t mask = 0;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t comma = text.find(',', begin);
    const size_t end = comma == std::string_view::npos ? text.size() : comma;
    const std::string_view word = trimmed(text.substr(begin, end - begin));
    const uint32_t part = word_mask(word);
    if (part == 0) {
      return Status::error(
          "'" + std::string(word) +
          "' is no kind of event: use api, coll, kernel, proxy, step, all, or names such as "
          "Coll,ProxyOp, or a number");
    }
    mask |= part;
    begin = end + 1;
  }
  return mask;
}

Result<EventChoice> parse_event_choice(std::string_view text) {
  const size_t colon = text.find(':');
  const Result<uint32_t> kinds = parse_events(text.substr(0, colon));
  if (!kinds.ok()) return kinds.status();
  EventChoice choice;
  choice.kinds = kinds.value();
  if (colon == std::string_view::npos) return choice;
  const std::string_view part = trimmed(text.substr(colon + 1));
  const auto one_in =
      starts_with(part, "1/") ? parse_number<uint32_t>(part.substr(2)) : std::nullopt;
  if (!one_in || *one_in < 1 || *one_in > kMostOneIn)
    return Status::error("'" + std::string(part) +
                         "' is no share of the operations: 1/N is, N from 1 to " +
                         std::to_string(kMostOneIn));
  choice.one_in = *one_in;
  if ((choice.kinds & kOperations) != kOperations || (choice.kinds & kSharedKinds) == 0)
    return Status::error("'" + std::string(text) +
                         "' has nothing to take a share of: the shared kinds are " +
                         event_names(kSharedKinds) +
                         ", and Coll and P2p have to be recorded with them, as in step:1/16");
  return choice;
}

std::string event_names(uint32_t mask, uint32_t one_in) {
  std::string names;
  for (const std::string& name : kind_names(mask)) names += (names.empty() ? "" : ",") + name;
  if (one_in != 1 && (mask & kSharedKinds) != 0) names += kShareText + std::to_string(one_in);
  return names.empty() ? "none" : names;
}

}  // namespace lockstep::dumper
