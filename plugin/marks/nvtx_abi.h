// What NVTX (version 2 and 3 of its headers, nvToolsExt.h) and a library that it loads agree on: the
// tables of functions that the library fills in, and the attributes of a range or mark. Declared here,
// as NCCL's tables are, so that the build needs no CUDA toolkit. Plain data.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep::plugin::nvtx {

using Function = void (*)();
// Gives a module's table: pointers to the pointers that NVTX calls, and how many there are.
struct CallbackTable {
  size_t struct_size;
  int (*module_functions)(uint32_t module, Function*** table, uint32_t* entries);
};
using ExportTableFunction = const void* (*)(uint32_t id);
constexpr uint32_t kCallbacksTable = 1;  // NVTX_ETID_CALLBACKS

constexpr uint32_t kCoreModule = 1;  // functions without a domain
enum CoreFunction : uint32_t {
  kMarkEx = 1,
  kMarkA = 2,
  kRangeStartEx = 4,
  kRangeStartA = 5,
  kRangeEnd = 7,
  kRangePushEx = 8,
  kRangePushA = 9,
  kRangePop = 11,
};
constexpr uint32_t kDomainModule = 5;  // NVTX_CB_MODULE_CORE2
enum DomainFunction : uint32_t {
  kDomainMarkEx = 1,
  kDomainRangeStartEx = 2,
  kDomainRangeEnd = 3,
  kDomainRangePushEx = 4,
  kDomainRangePop = 5,
  kDomainRegisterStringA = 10,
  kDomainCreateA = 12,
};

enum class MessageType : int32_t { None = 0, Ascii = 1, Wide = 2, Registered = 3 };

// nvtxEventAttributes_v2. Later versions may be longer.
struct EventAttributes {
  uint16_t version, size;
  uint32_t category;
  int32_t color_type;
  uint32_t color;
  int32_t payload_type, reserved0;
  uint64_t payload;
  MessageType message_type;
  const void* message;  // a text, or the handle of a registered one
};
static_assert(offsetof(EventAttributes, message) == 40, "NVTX's layout");

// What its functions return for the depth of a stack that the library does not keep.
constexpr int kNoDepth = -2;

}  // namespace lockstep::plugin::nvtx
