// How many words a record has, by tag, and how the codec should treat each: worked out from the table
// of fields (record_fields.h), so that a new field needs nothing here. A word's type fixes its
// columns in files (docs/format.md): a field may move only together with the format's version.
#pragma once

#include <array>

#include "lockstep/record_fields.h"

namespace lockstep {

// How the codec splits a word into delta-coded columns (columns.h). "s16" is a number of the
// string table.
enum class WordType : uint8_t {
  Plain,    // one 64-bit number
  Halves,   // two 32-bit numbers
  Id,       // an event id: serial in one column, kind and communicator in another
  Strings,  // up to four s16
  Mixed,    // s16 s16 in the low half, a 32-bit number in the high half
  Named,    // a 32-bit number in the low half; bits 32-47 small fields; s16 in bits 48-63
  Variant,  // a 32-bit number in the low half; s16 in bits 32-47
};
constexpr const char* kWordTypeNames[] = {"Plain", "Halves", "Id",     "Strings",
                                          "Mixed", "Named",  "Variant"};

constexpr unsigned kMaxWords = 14;
struct RecordShape {
  uint8_t words = 0;                        // in all, word 0 included; 0 = no such record
  std::array<WordType, kMaxWords> types{};  // [0] unused
};

namespace shape_detail {

// What the fields of a word take of it.
struct WordUse {
  uint64_t bits = 0, text_bits = 0;
  bool is_one = false, is_event = false;  // one field of 64 bits
  bool fits = true;                       // no field over another's bits, texts of 16 bits
};
constexpr WordUse use_of(const FieldList& fields, unsigned word) {
  WordUse use;
  for (const RecordField& field : fields) {
    if (field.word != word) continue;
    const uint64_t bits = field.mask() << field.shift;
    const bool is_text = field.type == FieldType::Text;
    if ((use.bits & bits) != 0 || field.shift + field.bits > 64 || (is_text && field.bits != 16))
      use.fits = false;
    use.bits |= bits;
    if (is_text) use.text_bits |= bits;
    use.is_one = field.bits == 64;
    use.is_event = field.type == FieldType::Event;
  }
  return use;
}

constexpr uint64_t s16(unsigned place) { return uint64_t{0xffff} << 16 * place; }
constexpr WordType type_of(const WordUse& use) {
  switch (use.text_bits) {
    case 0:
      return use.is_event ? WordType::Id : use.is_one ? WordType::Plain : WordType::Halves;
    case s16(0) | s16(1):
      return WordType::Mixed;
    case s16(3):
      return WordType::Named;
    case s16(2):
      return WordType::Variant;
    default:
      return WordType::Strings;
  }
}

constexpr std::array<RecordShape, kTags> make_shapes() {
  std::array<RecordShape, kTags> shapes{};
  for (unsigned tag = 0; tag < kTags; ++tag) {
    const FieldList fields = fields_of(static_cast<Tag>(tag));
    RecordShape& shape = shapes[tag];
    for (const RecordField& field : fields) {
      if (field.word >= shape.words) shape.words = static_cast<uint8_t>(field.word + 1);
    }
    for (unsigned word = 1; word < shape.words; ++word)
      shape.types[word] = type_of(use_of(fields, word));
  }
  return shapes;
}

// Every word behind the first has a field, and the types above say all that its fields need.
constexpr bool fields_fit() {
  for (unsigned tag = 0; tag < kTags; ++tag) {
    const FieldList fields = fields_of(static_cast<Tag>(tag));
    unsigned words = 0;
    for (const RecordField& field : fields) words = field.word >= words ? field.word + 1u : words;
    if (words > kMaxWords) return false;
    for (unsigned word = 1; word < words; ++word) {
      const WordUse use = use_of(fields, word);
      const bool only_texts = use.bits == use.text_bits;
      if (use.bits == 0 || !use.fits) return false;
      if (type_of(use) == WordType::Strings && !only_texts) return false;
    }
  }
  return true;
}
static_assert(fields_fit(), "record_fields.h: a word without a field, or fields that overlap");

}  // namespace shape_detail

inline constexpr std::array<RecordShape, kTags> kRecordShapes = shape_detail::make_shapes();

constexpr const char* kStateNames[kStates] = {"ProxyOpSendPosted",
                                              "ProxyOpSendRemFifoWait",
                                              "ProxyOpSendTransmitted",
                                              "ProxyOpSendDone",
                                              "ProxyOpRecvPosted",
                                              "ProxyOpRecvReceived",
                                              "ProxyOpRecvTransmitted",
                                              "ProxyOpRecvDone",
                                              "SendGPUWait",
                                              "SendWait",
                                              "RecvWait",
                                              "RecvFlushWait",
                                              "RecvGPUWait",
                                              "CtrlIdle",
                                              "CtrlActive",
                                              "CtrlSleep",
                                              "CtrlWakeup",
                                              "CtrlAppend",
                                              "CtrlAppendEnd",
                                              "ProxyOpInProgress",
                                              "SendPeerWait",
                                              "NetPluginUpdate",
                                              "KernelChStop",
                                              "GroupStartApiStop",
                                              "GroupEndApiStart",
                                              "CeCollStart",
                                              "CeCollComplete",
                                              "CeSyncStart",
                                              "CeSyncComplete",
                                              "CeBatchStart",
                                              "CeBatchComplete",
                                              "KernelPhaseStop"};

}  // namespace lockstep
