#include "plugin/marks/nvtx_names.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

#include "plugin/record/mark_texts.h"

namespace lockstep::plugin {
namespace {

// Of the domain without one, in LOCKSTEP_NVTX.
constexpr char kDefaultDomain[] = "default";
// What NCCL's ranges say its calls say too, and better.
constexpr char kNcclDomain[] = "NCCL";

std::atomic<const char*> wanted_domains{"all"};
enum Wanted : uint8_t { kNotAsked, kYes, kNo };
std::atomic<uint8_t> default_wanted{kNotAsked};

bool ask(std::atomic<uint8_t>* answer, const char* domain) {
  uint8_t known = answer->load(std::memory_order_relaxed);
  if (known == kNotAsked) {
    known = names_domain(wanted_domains.load(std::memory_order_acquire), domain) ? kYes : kNo;
    answer->store(known, std::memory_order_relaxed);
  }
  return known == kYes;
}

}  // namespace

class NvtxName {
 public:
  explicit NvtxName(char* text) : text_(text) {}
  uint16_t number() {
    uint16_t known = number_.load(std::memory_order_relaxed);
    if (known == 0) number_.store(known = intern_mark_text(text_), std::memory_order_relaxed);
    return known;
  }
  bool is_wanted() { return ask(&wanted_, text_); }

 private:
  char* const text_;
  std::atomic<uint16_t> number_{0};  // 0 = not in the string table yet
  std::atomic<uint8_t> wanted_{kNotAsked};
};

NvtxName* make_nvtx_name(const char* text) noexcept {
  if (text == nullptr) return nullptr;
  char* const copy = strdup(text);
  if (copy == nullptr) return nullptr;
  auto* const name = new (std::nothrow) NvtxName(copy);
  if (name == nullptr) std::free(copy);
  return name;
}

uint16_t number_of(NvtxName* name) { return name == nullptr ? 0 : name->number(); }

void choose_nvtx_domains(const char* option) {
  const char* const kept = strdup(option);
  if (kept != nullptr) wanted_domains.store(kept, std::memory_order_release);
}

bool is_wanted(NvtxName* domain) {
  return domain == nullptr ? ask(&default_wanted, kDefaultDomain) : domain->is_wanted();
}

bool names_domain(const char* option, const char* domain) {
  if (std::strcmp(option, "off") == 0) return false;
  if (std::strcmp(option, "all") == 0) return std::strcmp(domain, kNcclDomain) != 0;
  std::string_view left = option;
  while (!left.empty()) {
    const size_t comma = left.find(',');
    if (left.substr(0, comma) == domain) return true;
    left.remove_prefix(comma == std::string_view::npos ? left.size() : comma + 1);
  }
  return false;
}

}  // namespace lockstep::plugin
