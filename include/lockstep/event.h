// What one call of NCCL's becomes: a record of 64-bit words, the same in a thread's block, in a
// decoded chunk and in every reader. A record is never a C struct: its first word names its shape
// (Tag), and the shape fixes how many words follow and what each means. Writers are the ABI
// adapters in plugin/; the codec in dumper/ knows only the word types (record_shape.h); writers and
// readers take the fields by name (record_fields.h). Nothing here allocates, locks or calls.
//
//   word 0      tag (low 8 bits) | ticks since the process's tick base (high 56 bits; Anchor in
//               shared_blocks.h ties ticks to time)
//   word 1      event id (START, STATE, STOP) or communicator number (COMM_*); a mark of the
//               program's own (mark.h) has neither
//   word 2      START: the parent as NCCL passed it (an event id of this or, with PXN, another
//               process); STATE: argument
//   word 3..    START: payload by kind, listed in record_fields.h
#pragma once

#include <cstdint>

namespace lockstep {

// The bit number of the kind in NCCL's activation mask (nccl-profiler ABI, event types).
enum class Kind : uint8_t {
  Group = 0,
  Coll,
  P2p,
  ProxyOp,
  ProxyStep,
  ProxyCtrl,
  KernelCh,
  NetPlugin,
  GroupApi,
  CollApi,
  P2pApi,
  KernelLaunch,
  CeColl,
  CeSync,
  CeBatch,
  KernelPhase,
};
constexpr unsigned kKinds = 16;
// Calls whose kind nobody knows are counted under this index; they are never recorded.
constexpr unsigned kUnknownKind = kKinds;
// The program's own marks are no kind of NCCL's; they are counted as starts under this index.
constexpr unsigned kMarkKind = kKinds + 1;
constexpr unsigned kCountedKinds = kKinds + 2;
constexpr const char* kKindNames[kCountedKinds] = {
    "Group",    "Coll",      "P2p",      "ProxyOp",     "ProxyStep", "ProxyCtrl",
    "KernelCh", "NetPlugin", "GroupApi", "CollApi",     "P2pApi",    "KernelLaunch",
    "CeColl",   "CeSync",    "CeBatch",  "KernelPhase", "Unknown",   "Mark"};

enum class Call : uint8_t { Start = 0, State, Stop };
constexpr unsigned kCalls = 3;
constexpr const char* kCallNames[kCalls] = {"starts", "states", "stops"};

// An event's name, handed to NCCL as its handle and back by it: unique in the process for its whole
// life, never 0, never a pointer. Because kind and communicator are inside, a state, stop or child
// can be accounted for without a look-up, however stale the handle is.
//   bits 0-3 kind | 4-20 communicator number | 21 unrecorded | 22-63 serial (4.4e12 events: 4
//   months at 400,000 starts/s)
using EventId = uint64_t;
constexpr unsigned kCommShift = 4, kCommBits = 17, kUnrecordedShift = 21, kSerialShift = 22;
// Communicator 0 stands for "not one of ours": unknown or foreign contexts. The last number is
// shared by all later ones.
constexpr uint32_t kUnknownComm = 0;
constexpr uint32_t kLastComm = (1u << kCommBits) - 1;

constexpr EventId make_event_id(Kind kind, uint32_t comm, uint64_t serial) {
  return static_cast<uint64_t>(kind) | uint64_t{comm} << kCommShift | serial << kSerialShift;
}
// Why a call was counted and not recorded. The handle of such a start carries the reason in place
// of a serial, so that its states and stops are counted under the same reason.
enum class Loss : uint8_t {
  Filtered = 1,  // the kind is switched off
  Memory = 2,    // the buffer cap was reached: shed by class
  Folded = 3,  // a repeat that says nothing new (SendPeerWait at poll rate): only its count is kept
  Disk = 4,    // recorded, then given up for LOCKSTEP_MAX_DISK_MB or a full disk
  Unknown = 5,  // a kind, state or handle that no known ABI version has
};
constexpr unsigned kLosses = 6;
constexpr const char* kLossNames[kLosses] = {"", "filtered", "memory", "folded", "disk", "unknown"};

constexpr EventId make_unrecorded_id(Kind kind, uint32_t comm, Loss why) {
  return make_event_id(kind, comm, static_cast<uint64_t>(why)) | uint64_t{1} << kUnrecordedShift;
}
// The handle of an unrecorded start, where handles must differ (chained plugins have their own for
// it): the reason in the low three bits of the serial, a number above.
constexpr EventId make_unrecorded_id(EventId unrecorded, uint64_t number) {
  return unrecorded | number << (kSerialShift + 3);
}
constexpr Kind kind_of(EventId id) { return static_cast<Kind>(id & 15u); }
constexpr uint32_t comm_of(EventId id) {
  return static_cast<uint32_t>(id >> kCommShift) & kLastComm;
}
constexpr bool is_unrecorded(EventId id) { return (id >> kUnrecordedShift & 1u) != 0; }
constexpr uint64_t serial_of(EventId id) { return id >> kSerialShift; }
// Of an unrecorded id; may be no Loss at all when the handle is no handle of ours.
constexpr Loss loss_in(EventId id) { return static_cast<Loss>(serial_of(id) & 7u); }

// Tag of a record: 0-15 start of that kind, 16-31 stop of that kind, 32-63 state number, then the
// communicator's own, then the program's marks.
using Tag = uint8_t;
constexpr Tag kStopTag = 16, kStateTag = 32, kCommInitTag = 64, kCommFinalizeTag = 65,
              kCommInfoTag = 66;
constexpr Tag kStepBeginTag = 67, kStepEndTag = 68, kRangePushTag = 69, kRangePopTag = 70,
              kRangeStartTag = 71, kRangeEndTag = 72, kTextTag = 73, kCaptureStartTag = 74,
              kCaptureStopTag = 75;
constexpr unsigned kTags = 76;
constexpr unsigned kStates = 32;
constexpr Tag start_tag(Kind kind) { return static_cast<Tag>(kind); }
constexpr Tag stop_tag(Kind kind) {
  return static_cast<Tag>(kStopTag + static_cast<unsigned>(kind));
}
constexpr Tag state_tag(unsigned state) { return static_cast<Tag>(kStateTag + state); }
constexpr bool is_start(Tag tag) { return tag < kStopTag; }
constexpr bool is_stop(Tag tag) { return tag >= kStopTag && tag < kStateTag; }
constexpr bool is_state(Tag tag) { return tag >= kStateTag && tag < kCommInitTag; }
constexpr bool is_comm(Tag tag) { return tag >= kCommInitTag && tag <= kCommInfoTag; }
constexpr bool is_mark(Tag tag) { return tag >= kStepBeginTag && tag < kTags; }
// Of a tag below kCommInitTag.
constexpr Call call_of(Tag tag) {
  return is_start(tag) ? Call::Start : is_stop(tag) ? Call::Stop : Call::State;
}

// States a reader needs by name (numbers of the profiler ABI; the full list is kStateNames in
// record_shape.h).
enum State : unsigned {
  kSendGpuWait = 8,
  kSendWait = 9,
  kRecvWait = 10,
  kRecvFlushWait = 11,
  kRecvGpuWait = 12,
  kCtrlIdle = 13,
  kCtrlActive = 14,
  kCtrlSleep = 15,
  kCtrlWakeup = 16,
  kCtrlAppend = 17,
  kCtrlAppendEnd = 18,
  kProxyOpInProgress = 19,
  kSendPeerWait = 20,
  kNetPluginUpdate = 21,
  kKernelChStop = 22,
  kGroupStartApiStop = 23,
  kGroupEndApiStart = 24,
  kKernelPhaseStop = 31,
};
// Only these states define their argument; in all others NCCL leaves stale bytes there.
constexpr bool state_has_argument(unsigned state) {
  return state == kSendWait || state == kRecvFlushWait || state == kCtrlAppendEnd ||
         state == kNetPluginUpdate || state == kKernelChStop || state == kKernelPhaseStop;
}
// The argument when NCCL passed NULL where the state defines one.
constexpr uint64_t kNoArgument = ~uint64_t{0};

constexpr unsigned kTickBits = 56;
constexpr uint64_t make_word0(Tag tag, uint64_t ticks) { return tag | ticks << 8; }
constexpr Tag tag_of(uint64_t word0) { return static_cast<Tag>(word0 & 0xff); }
constexpr uint64_t ticks_of(uint64_t word0) { return word0 >> 8; }

}  // namespace lockstep
