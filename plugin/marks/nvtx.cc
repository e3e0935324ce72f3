// Ranges and marks of programs that use NVTX: its headers load the library that NVTX_INJECTION64_PATH
// names and call the function below, at the program's first use of NVTX. That is often before NCCL has
// loaded us, which is the same library then; until NCCL initialises nothing is recorded. Ranges with
// texts of wide characters are recorded without their text.
#include "plugin/marks/nvtx_abi.h"
#include "plugin/marks/nvtx_names.h"
#include "plugin/record/mark_texts.h"
#include "plugin/record/marks.h"

namespace lockstep::plugin {
namespace {

// Numbers of ranges that any thread may end; 0 is NVTX's own for none.
std::atomic<uint64_t> next_range{1};

bool knows_message(const nvtx::EventAttributes& event) {
  return event.size >= sizeof(nvtx::EventAttributes);
}

uint16_t text_of(const nvtx::EventAttributes& event) {
  if (!knows_message(event)) return kNullString;
  if (event.message_type == nvtx::MessageType::Ascii)
    return intern_mark_text(static_cast<const char*>(event.message));
  if (event.message_type != nvtx::MessageType::Registered) return kNullString;
  return number_of(static_cast<NvtxName*>(const_cast<void*>(event.message)));
}

// The fields that ranges and marks have in common.
template <typename Record>
Record described(NvtxName* domain, const nvtx::EventAttributes* event) {
  Record record;
  record.domain = number_of(domain);
  if (event == nullptr) return record;
  record.text = text_of(*event);
  record.category = event->category;
  return record;
}

template <typename Record>
Record named(const char* text) {
  Record record;
  record.text = intern_mark_text(text);
  return record;
}

// Nothing of a domain is known while nothing is recorded: the mark is counted as one made too early.
bool is_left_out(NvtxName* domain) { return recording() && !is_wanted(domain); }

void mark(NvtxName* domain, const nvtx::EventAttributes* event) noexcept {
  if (is_left_out(domain)) return;
  record_mark<TextRecord>([=] { return described<TextRecord>(domain, event); });
}
void mark_ex(const nvtx::EventAttributes* event) noexcept { mark(nullptr, event); }
void mark_a(const char* text) noexcept {
  if (is_left_out(nullptr)) return;
  record_mark<TextRecord>([=] { return named<TextRecord>(text); });
}

int push(NvtxName* domain, const nvtx::EventAttributes* event) noexcept {
  if (!is_left_out(domain))
    record_mark<RangePushRecord>([=] { return described<RangePushRecord>(domain, event); });
  return nvtx::kNoDepth;
}
int push_ex(const nvtx::EventAttributes* event) noexcept { return push(nullptr, event); }
int push_a(const char* text) noexcept {
  if (!is_left_out(nullptr))
    record_mark<RangePushRecord>([=] { return named<RangePushRecord>(text); });
  return nvtx::kNoDepth;
}
int pop_of(NvtxName* domain) noexcept {
  if (is_left_out(domain)) return nvtx::kNoDepth;
  record_mark<RangePopRecord>([=] {
    RangePopRecord record;
    record.domain = number_of(domain);
    return record;
  });
  return nvtx::kNoDepth;
}
int pop() noexcept { return pop_of(nullptr); }

// 0 where it is not recorded, so that neither is its end.
uint64_t start(NvtxName* domain, const nvtx::EventAttributes* event) noexcept {
  if (is_left_out(domain)) return 0;
  const uint64_t range = next_range.fetch_add(1, std::memory_order_relaxed);
  const bool recorded = record_mark<RangeStartRecord>([=] {
    auto record = described<RangeStartRecord>(domain, event);
    record.range = range;
    return record;
  });
  return recorded ? range : 0;
}
uint64_t start_ex(const nvtx::EventAttributes* event) noexcept { return start(nullptr, event); }
uint64_t start_a(const char* text) noexcept {
  const nvtx::EventAttributes event = {
      0, sizeof event, 0, 0, 0, 0, 0, 0, nvtx::MessageType::Ascii, text};
  return start(nullptr, &event);
}
void end(uint64_t range) noexcept {
  if (range == 0) return;
  record_mark<RangeEndRecord>([=] {
    RangeEndRecord record;
    record.range = range;
    return record;
  });
}
void end_of(NvtxName* /*domain*/, uint64_t range) noexcept { end(range); }

NvtxName* register_string(NvtxName* /*domain*/, const char* text) noexcept {
  return make_nvtx_name(text);
}

struct Entry {
  uint32_t number;
  nvtx::Function function;
};
template <typename F>
Entry entry(uint32_t number, F* function) {
  return {number, reinterpret_cast<nvtx::Function>(function)};
}

template <size_t kCount>
bool fill(const nvtx::CallbackTable& callbacks, uint32_t module, const Entry (&entries)[kCount]) {
  nvtx::Function** table = nullptr;
  uint32_t size = 0;
  if (callbacks.module_functions(module, &table, &size) == 0 || table == nullptr) return false;
  for (const Entry& one : entries) {
    if (one.number < size && table[one.number] != nullptr) *table[one.number] = one.function;
  }
  return true;
}

bool fill_all(const nvtx::CallbackTable& callbacks) {
  const Entry core[] = {
      entry(nvtx::kMarkEx, mark_ex),        entry(nvtx::kMarkA, mark_a),
      entry(nvtx::kRangeStartEx, start_ex), entry(nvtx::kRangeStartA, start_a),
      entry(nvtx::kRangeEnd, end),          entry(nvtx::kRangePushEx, push_ex),
      entry(nvtx::kRangePushA, push_a),     entry(nvtx::kRangePop, pop),
  };
  const Entry domains[] = {
      entry(nvtx::kDomainMarkEx, mark),
      entry(nvtx::kDomainRangeStartEx, start),
      entry(nvtx::kDomainRangeEnd, end_of),
      entry(nvtx::kDomainRangePushEx, push),
      entry(nvtx::kDomainRangePop, pop_of),
      entry(nvtx::kDomainRegisterStringA, register_string),
      entry(nvtx::kDomainCreateA, make_nvtx_name),
  };
  return fill(callbacks, nvtx::kCoreModule, core) && fill(callbacks, nvtx::kDomainModule, domains);
}

}  // namespace
}  // namespace lockstep::plugin

// 1 = its functions are ours now; 0 = NVTX does nothing from now on.
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    lockstep::plugin::nvtx::ExportTableFunction export_table) noexcept {
  using lockstep::plugin::nvtx::CallbackTable;
  if (export_table == nullptr) return 0;
  const auto* callbacks =
      static_cast<const CallbackTable*>(export_table(lockstep::plugin::nvtx::kCallbacksTable));
  if (callbacks == nullptr || callbacks->struct_size < sizeof(CallbackTable)) return 0;
  return lockstep::plugin::fill_all(*callbacks) ? 1 : 0;
}
