// What each word of a record means: one table, from which come the structs that adapters write and
// readers read, the columns of the codec (record_shape.h), the JSON of `lockstep cat` and the list of
// fields in docs/format.md (`lockstep cat --fields`). A new field is one line here.
//
// Words are numbered from 0, the word of tag and ticks (event.h), in the one way that blocks, chunks
// and readers share. A field lies within one word. Fields that a version of NCCL's table lacks are 0.
// CollRecord and its like are those fields by name: read() takes them from the words of a whole
// record, write() puts all words but the first. Both are inlined, and what a reader does not use
// costs nothing. Neither checks the tag: the caller has looked at it. Plain data, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

#include "lockstep/event.h"

namespace lockstep {

enum class FieldType : uint8_t {
  Unsigned,
  Bytes,     // a number of them
  Signed,    // 32 bits
  Flag,      // one bit
  Text,      // a number of the string table; 0 = NCCL passed NULL
  Address,   // a pointer or hash: hexadecimal where people read it
  Event,     // an event id
  GpuTime,   // nanoseconds of a GPU's clock; 0 = none
  Argument,  // a number, or kNoArgument
};

// F(name, word, lowest bit, bits, FieldType, note). Names are those of `lockstep cat`, in its order.
// clang-format off
#define LOCKSTEP_FIELDS_Event(F) \
  F(id,               1,  0, 64, Event,    "kind, communicator and serial: a start, its states and its stop share it")
#define LOCKSTEP_FIELDS_State(F) \
  LOCKSTEP_FIELDS_Event(F) \
  F(argument,         2,  0, 64, Argument, "all bits set: NCCL passed NULL")
#define LOCKSTEP_FIELDS_Start(F) \
  LOCKSTEP_FIELDS_Event(F) \
  F(parent,           2,  0, 64, Event,    "as NCCL passed it; with PXN it may be another process's event") \
  F(event_rank,       3,  0, 32, Signed,   "")
#define LOCKSTEP_FIELDS_Group(F) \
  LOCKSTEP_FIELDS_Start(F)
#define LOCKSTEP_FIELDS_Coll(F) \
  LOCKSTEP_FIELDS_Start(F) \
  F(channels,         3, 32,  8, Unsigned, "") \
  F(warps,            3, 40,  8, Unsigned, "") \
  F(symmetric,        3, 48,  1, Flag,     "from v7") \
  F(parent_group,     4,  0, 64, Event,    "the Group that tables before v5 would have as parent; from v5") \
  F(seq_number,       5,  0, 64, Unsigned, "") \
  F(count,            6,  0, 64, Unsigned, "") \
  F(send_buff,        7,  0, 64, Address,  "") \
  F(recv_buff,        8,  0, 64, Address,  "") \
  F(func,             9,  0, 16, Text,     "") \
  F(datatype,         9, 16, 16, Text,     "") \
  F(algo,             9, 32, 16, Text,     "") \
  F(proto,            9, 48, 16, Text,     "") \
  F(root,            10,  0, 32, Signed,   "") \
  F(kernel_variant,  10, 32, 16, Text,     "from v7") \
  F(user_tag,        11,  0, 64, Unsigned, "from v7") \
  F(traffic_bytes,   12,  0, 64, Bytes,    "v1 and v2") \
  F(op,              13,  0, 32, Unsigned, "v1") \
  F(collnet,         13, 32,  1, Flag,     "v1") \
  F(nvls,            13, 33,  1, Flag,     "v1")
#define LOCKSTEP_FIELDS_P2p(F) \
  LOCKSTEP_FIELDS_Start(F) \
  F(channels,         3, 32,  8, Unsigned, "from v5") \
  F(parent_group,     4,  0, 64, Event,    "as in Coll") \
  F(count,            5,  0, 64, Unsigned, "") \
  F(buff,             6,  0, 64, Address,  "") \
  F(func,             7,  0, 16, Text,     "") \
  F(datatype,         7, 16, 16, Text,     "") \
  F(peer,             7, 32, 32, Signed,   "") \
  F(user_tag,         8,  0, 64, Unsigned, "from v7")
#define LOCKSTEP_FIELDS_ProxyOp(F) \
  LOCKSTEP_FIELDS_Start(F) \
  F(pid,              3, 32, 32, Unsigned, "of the process whose operation it serves, another one with PXN") \
  F(peer,             4,  0, 32, Signed,   "") \
  F(channel,          4, 32,  8, Unsigned, "") \
  F(is_send,          4, 40,  1, Flag,     "") \
  F(steps,            5,  0, 32, Unsigned, "") \
  F(chunk_size,       5, 32, 32, Bytes,    "")
#define LOCKSTEP_FIELDS_ProxyStep(F) \
  LOCKSTEP_FIELDS_Start(F) \
  F(step,             3, 32, 32, Signed,   "")
#define LOCKSTEP_FIELDS_ProxyCtrl(F) \
  LOCKSTEP_FIELDS_Start(F)
#define LOCKSTEP_FIELDS_KernelCh(F) \
  LOCKSTEP_FIELDS_Start(F) \
  F(channel,          3, 32,  8, Unsigned, "") \
  F(p_timer,          4,  0, 64, GpuTime,  "from v4")
#define LOCKSTEP_FIELDS_NetPlugin(F) \
  LOCKSTEP_FIELDS_Start(F) \
  F(net_id,           4,  0, 64, Unsigned, "65537 InfiniBand, 131073 sockets; of others only this is known") \
  F(device,           5,  0, 32, Signed,   "sockets: the descriptor") \
  F(opcode,           5, 32, 32, Signed,   "sockets: the operation") \
  F(wr_id,            6,  0, 64, Unsigned, "InfiniBand") \
  F(length,           7,  0, 64, Bytes,    "") \
  F(qp_num,           8,  0, 64, Unsigned, "InfiniBand")
#define LOCKSTEP_FIELDS_GroupApi(F) \
  LOCKSTEP_FIELDS_Start(F) \
  F(depth,            3, 32, 16, Unsigned, "") \
  F(graph_captured,   3, 48,  1, Flag,     "")
#define LOCKSTEP_FIELDS_CollApi(F) \
  LOCKSTEP_FIELDS_Start(F) \
  F(graph_captured,   3, 32,  1, Flag,     "") \
  F(count,            4,  0, 64, Unsigned, "") \
  F(func,             5,  0, 16, Text,     "") \
  F(datatype,         5, 16, 16, Text,     "") \
  F(root,             5, 32, 32, Signed,   "") \
  F(stream,           6,  0, 64, Address,  "") \
  F(user_tag,         7,  0, 64, Unsigned, "from v7")
#define LOCKSTEP_FIELDS_P2pApi(F) \
  LOCKSTEP_FIELDS_Start(F) \
  F(graph_captured,   3, 32,  1, Flag,     "") \
  F(count,            4,  0, 64, Unsigned, "") \
  F(func,             5,  0, 16, Text,     "") \
  F(datatype,         5, 16, 16, Text,     "") \
  F(stream,           6,  0, 64, Address,  "") \
  F(user_tag,         7,  0, 64, Unsigned, "from v7")
#define LOCKSTEP_FIELDS_KernelLaunch(F) \
  LOCKSTEP_FIELDS_Start(F) \
  F(stream,           4,  0, 64, Address,  "")
#define LOCKSTEP_FIELDS_CeColl(F) \
  LOCKSTEP_FIELDS_Start(F) \
  F(intra_batch_sync, 3, 32,  1, Flag,     "") \
  F(seq_number,       4,  0, 64, Unsigned, "") \
  F(count,            5,  0, 64, Unsigned, "") \
  F(send_buff,        6,  0, 64, Address,  "") \
  F(recv_buff,        7,  0, 64, Address,  "") \
  F(func,             8,  0, 16, Text,     "") \
  F(datatype,         8, 16, 16, Text,     "") \
  F(sync_strategy,    8, 32, 16, Text,     "") \
  F(root,             9,  0, 32, Signed,   "") \
  F(batch_size,       9, 32, 32, Unsigned, "") \
  F(num_batches,     10,  0, 32, Unsigned, "") \
  F(ce_seq_num,      10, 32, 32, Unsigned, "") \
  F(stream,          11,  0, 64, Address,  "") \
  F(user_tag,        12,  0, 64, Unsigned, "from v7")
#define LOCKSTEP_FIELDS_CeSync(F) \
  LOCKSTEP_FIELDS_Start(F) \
  F(is_complete,      4,  0,  1, Flag,     "") \
  F(ranks,            4, 32, 32, Unsigned, "")
#define LOCKSTEP_FIELDS_CeBatch(F) \
  LOCKSTEP_FIELDS_Start(F) \
  F(num_ops,          4,  0, 32, Unsigned, "") \
  F(use_intra_sync,   4, 32,  1, Flag,     "") \
  F(total_bytes,      5,  0, 64, Bytes,    "")
#define LOCKSTEP_FIELDS_KernelPhase(F) \
  LOCKSTEP_FIELDS_Start(F) \
  F(channel,          3, 32,  8, Unsigned, "") \
  F(phase,            3, 40,  8, Unsigned, "0 initial_sync, 1 compute, 2 final_sync") \
  F(name,             3, 48, 16, Text,     "") \
  F(p_timer,          4,  0, 64, GpuTime,  "")
#define LOCKSTEP_FIELDS_Comm(F) \
  F(comm,             1,  0, 64, Unsigned, "the communicator's number in its process, from 1")
#define LOCKSTEP_FIELDS_CommInit(F) \
  LOCKSTEP_FIELDS_Comm(F) \
  F(comm_id,          2,  0, 64, Address,  "the same in all ranks; from v4") \
  F(name,             4, 48, 16, Text,     "from v4") \
  F(rank,             3,  0, 32, Unsigned, "from v4") \
  F(ranks,            3, 32, 32, Unsigned, "from v4") \
  F(nodes,            4,  0, 32, Unsigned, "from v4") \
  F(abi_version,      4, 32, 16, Unsigned, "of the profiler table that NCCL took")
#define LOCKSTEP_FIELDS_CommFinalize(F) \
  LOCKSTEP_FIELDS_Comm(F)
#define LOCKSTEP_FIELDS_CommInfo(F) \
  LOCKSTEP_FIELDS_Comm(F) \
  F(comm_id,          2,  0, 64, Address,  "v1 to v3: learnt from the first Coll or P2p that says it") \
  F(name,             3,  0, 16, Text,     "")
#define LOCKSTEP_FIELDS_StepBegin(F) \
  F(step,             1,  0, 64, Unsigned, "as the program numbers its steps")
#define LOCKSTEP_FIELDS_StepEnd(F) \
  LOCKSTEP_FIELDS_StepBegin(F)
#define LOCKSTEP_FIELDS_Text(F) \
  F(text,             1,  0, 16, Text,     "") \
  F(domain,           1, 16, 16, Text,     "of NVTX; none in its default domain and for lockstep's own marks") \
  F(category,         1, 32, 32, Unsigned, "of NVTX")
#define LOCKSTEP_FIELDS_RangePush(F) \
  LOCKSTEP_FIELDS_Text(F)
#define LOCKSTEP_FIELDS_RangePop(F) \
  F(domain,           1,  0, 16, Text,     "as in its push: each domain of a thread has ranges of its own")
#define LOCKSTEP_FIELDS_RangeStart(F) \
  LOCKSTEP_FIELDS_Text(F) \
  F(range,            2,  0, 64, Unsigned, "names the range in its process: its end has the same, on any thread")
#define LOCKSTEP_FIELDS_RangeEnd(F) \
  F(range,            1,  0, 64, Unsigned, "")
#define LOCKSTEP_FIELDS_CaptureStart(F) \
  F(name,             1,  0, 16, Text,     "")
#define LOCKSTEP_FIELDS_CaptureStop(F) \
  LOCKSTEP_FIELDS_CaptureStart(F)

// R(record, tag): every record that has a tag of its own. Stops have the fields of Event, states those
// of Event, or of State when the state defines an argument (fields_of below).
#define LOCKSTEP_START_RECORDS(R) \
  R(Group) R(Coll) R(P2p) R(ProxyOp) R(ProxyStep) R(ProxyCtrl) R(KernelCh) R(NetPlugin) R(GroupApi) \
  R(CollApi) R(P2pApi) R(KernelLaunch) R(CeColl) R(CeSync) R(CeBatch) R(KernelPhase)
#define LOCKSTEP_COMM_RECORDS(R) R(CommInit) R(CommFinalize) R(CommInfo)
#define LOCKSTEP_MARK_RECORDS(R) \
  R(StepBegin) R(StepEnd) R(RangePush) R(RangePop) R(RangeStart) R(RangeEnd) R(Text) \
  R(CaptureStart) R(CaptureStop)
// What several records begin with, for readers that need no more.
#define LOCKSTEP_COMMON_RECORDS(R) R(Event) R(State) R(Start) R(Comm)
// clang-format on

struct RecordField {
  const char* name;
  uint8_t word, shift, bits;
  FieldType type;
  const char* note;

  constexpr uint64_t mask() const { return ~uint64_t{0} >> (64 - bits); }
  constexpr uint64_t in(const uint64_t* words) const { return words[word] >> shift & mask(); }
};

// The C++ type that holds a field.
template <unsigned kBits, FieldType kType>
using FieldValue = std::conditional_t<
    kType == FieldType::Flag, bool,
    std::conditional_t<
        kType == FieldType::Signed, int32_t,
        std::conditional_t<
            kBits == 8, uint8_t,
            std::conditional_t<kBits == 16, uint16_t,
                               std::conditional_t<kBits == 32, uint32_t, uint64_t>>>>>;

template <unsigned kBits>
inline constexpr uint64_t kMask = ~uint64_t{0} >> (64 - kBits);

// Of a record with these fields, word 0 included.
template <size_t kCount>
constexpr unsigned words_with(const RecordField (&fields)[kCount]) {
  unsigned last = 0;
  for (const RecordField& field : fields) last = field.word > last ? field.word : last;
  return last + 1;
}

template <typename Record, size_t... kIndex>
[[gnu::always_inline]] inline void write_words(const Record& record, uint64_t* words,
                                               std::index_sequence<kIndex...>) {
  ((words[kIndex + 1] = record.template word<kIndex + 1>()), ...);
}

// NOLINTBEGIN(bugprone-macro-parentheses): names and types cannot stand in parentheses
// clang-format off
#define LOCKSTEP_FIELD_ROW(name, word, shift, bits, type, note) \
  {#name, word, shift, bits, FieldType::type, note},
#define LOCKSTEP_FIELD_MEMBER(name, word, shift, bits, type, note) \
  FieldValue<bits, FieldType::type> name{};
#define LOCKSTEP_FIELD_READ(name, word, shift, bits, type, note) \
  taken.name = static_cast<FieldValue<bits, FieldType::type>>(words[word] >> (shift) & kMask<bits>);
#define LOCKSTEP_FIELD_PART(name, word, shift, bits, type, note) \
  | ((word) == kWord ? (static_cast<uint64_t>(name) & kMask<bits>) << (shift) : 0)
#define LOCKSTEP_RECORD(record)                                                                   \
  struct record##Record {                                                                         \
    static constexpr RecordField kFields[] = {LOCKSTEP_FIELDS_##record(LOCKSTEP_FIELD_ROW)};      \
    static constexpr unsigned kWords = words_with(kFields);                                       \
    LOCKSTEP_FIELDS_##record(LOCKSTEP_FIELD_MEMBER)                                               \
                                                                                                  \
    [[gnu::always_inline]] static constexpr record##Record read(const uint64_t* words) {          \
      record##Record taken;                                                                       \
      LOCKSTEP_FIELDS_##record(LOCKSTEP_FIELD_READ)                                               \
      return taken;                                                                               \
    }                                                                                             \
    template <unsigned kWord>                                                                     \
    constexpr uint64_t word() const {                                                             \
      return uint64_t{0} LOCKSTEP_FIELDS_##record(LOCKSTEP_FIELD_PART);                           \
    }                                                                                             \
    [[gnu::always_inline]] void write(uint64_t* words) const {                                    \
      write_words(*this, words, std::make_index_sequence<kWords - 1>());                          \
    }                                                                                             \
  };
// clang-format on

LOCKSTEP_COMMON_RECORDS(LOCKSTEP_RECORD)
LOCKSTEP_START_RECORDS(LOCKSTEP_RECORD)
LOCKSTEP_COMM_RECORDS(LOCKSTEP_RECORD)
LOCKSTEP_MARK_RECORDS(LOCKSTEP_RECORD)
#undef LOCKSTEP_RECORD
#undef LOCKSTEP_FIELD_PART
#undef LOCKSTEP_FIELD_READ
#undef LOCKSTEP_FIELD_MEMBER
#undef LOCKSTEP_FIELD_ROW
// NOLINTEND(bugprone-macro-parentheses)

// The fields of every record of a tag, in the order of the table; none for a tag that nobody has.
struct FieldList {
  const RecordField* first = nullptr;
  size_t count = 0;
  constexpr const RecordField* begin() const { return first; }
  constexpr const RecordField* end() const { return first + count; }
};

constexpr FieldList fields_of(Tag tag) {
#define LOCKSTEP_FIELD_LIST(record) \
  { record##Record::kFields, std::size(record##Record::kFields) }
#define LOCKSTEP_START_CASE(record) \
  case start_tag(Kind::record):     \
    return LOCKSTEP_FIELD_LIST(record);
#define LOCKSTEP_TAG_CASE(record) \
  case k##record##Tag:            \
    return LOCKSTEP_FIELD_LIST(record);
  switch (tag) {
    LOCKSTEP_START_RECORDS(LOCKSTEP_START_CASE)
    LOCKSTEP_COMM_RECORDS(LOCKSTEP_TAG_CASE)
    LOCKSTEP_MARK_RECORDS(LOCKSTEP_TAG_CASE)
    default:
      break;
  }
  if (is_stop(tag)) return LOCKSTEP_FIELD_LIST(Event);
  if (!is_state(tag)) return {};
  if (state_has_argument(tag - kStateTag)) return LOCKSTEP_FIELD_LIST(State);
  return LOCKSTEP_FIELD_LIST(Event);
#undef LOCKSTEP_TAG_CASE
#undef LOCKSTEP_START_CASE
#undef LOCKSTEP_FIELD_LIST
}

// The tag of the records that a struct is of.
template <typename Record>
inline constexpr Tag kTagOf = kTags;
#define LOCKSTEP_START_TAG(record) \
  template <>                      \
  inline constexpr Tag kTagOf<record##Record> = start_tag(Kind::record);
#define LOCKSTEP_OWN_TAG(record) \
  template <>                    \
  inline constexpr Tag kTagOf<record##Record> = k##record##Tag;
LOCKSTEP_START_RECORDS(LOCKSTEP_START_TAG)
LOCKSTEP_COMM_RECORDS(LOCKSTEP_OWN_TAG)
LOCKSTEP_MARK_RECORDS(LOCKSTEP_OWN_TAG)
#undef LOCKSTEP_OWN_TAG
#undef LOCKSTEP_START_TAG

}  // namespace lockstep
