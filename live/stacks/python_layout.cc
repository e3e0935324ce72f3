#include "live/stacks/python_layout.h"

#include <algorithm>
#include <cstring>

namespace lockstep::live {
namespace {

constexpr char kCookie[] = "xdebugpy";
constexpr uint64_t kPointer = sizeof(uint64_t);

// Py_ssize_t ob_refcnt, PyTypeObject* ob_type, Py_ssize_t ob_size: Include/object.h, the same in 3.9 to
// 3.12, as is tp_name behind a type's own head (Include/cpython/object.h) and ob_sval behind a bytes
// object's head and hash (Include/cpython/bytesobject.h).
constexpr PythonLayout::Object kObject{8, 16};
constexpr uint64_t kTypeName = 24, kBytesData = 32;

// Include/cpython/unicodeobject.h. A compact ASCII string's characters follow PyASCIIObject, another
// compact string's PyCompactUnicodeObject; 3.12 dropped `wstr` and `wstr_length` (PEP 623).
constexpr PythonLayout::Text kTextWithWide{16, 32, 48, 72, false};
constexpr PythonLayout::Text kText{16, 32, 40, 56, false};

// 3.9: Include/cpython/{pystate,frameobject,code}.h and Include/internal/pycore_{runtime,interp}.h at
// v3.9.18; 3.10: the same at v3.10.13. What is used here lies at the same places in both.
PythonLayout layout_of_frame_objects() {
  PythonLayout layout;
  layout.frames = FrameKind::Objects;
  layout.runtime = {32};                     // pyruntimestate.interpreters.head
  layout.interpreter = {0, 8};               // _is.{next, tstate_head}
  layout.thread = {8, 16, 24, 176, {}, {}};  // _ts.{next, interp, frame, thread_id}
  layout.frame = {24, 32, 0, 0, 0};          // _frame.{f_back, f_code}
  layout.code = {40,  104, 112,
                 120, 48,  0};  // co_{firstlineno, filename, name, lnotab/linetable, code}
  layout.text = kTextWithWide;
  return layout;
}
PythonLayout layout_3_9() {
  PythonLayout layout = layout_of_frame_objects();
  layout.lines = LineTable::Deltas;
  layout.frame.instruction = 104;  // f_lasti, behind f_stacktop
  return layout;
}
PythonLayout layout_3_10() {
  PythonLayout layout = layout_of_frame_objects();
  layout.lines = LineTable::Ranges;
  layout.frame.instruction = 96;  // f_lasti, behind an int f_stackdepth
  return layout;
}

// Include/cpython/{pystate,code}.h and Include/internal/pycore_{runtime,interp,frame}.h at v3.11.7.
PythonLayout layout_3_11() {
  PythonLayout layout;
  layout.frames = FrameKind::EntryMarked;
  layout.lines = LineTable::Locations;
  layout.runtime = {40};         // behind a fifth int, _initialized
  layout.interpreter = {0, 16};  // _is.{next, threads.head}
  layout.thread = {8,   16,  8,
                   152, 160, 56};      // _ts.{next, interp, -, thread_id, native_thread_id, cframe}
  layout.frame = {48, 32, 56, 68, 0};  // {previous, f_code, prev_instr, is_entry}
  layout.code = {72,  112, 128,
                 136, 184, 0};  // co_{firstlineno, filename, qualname, linetable, code_adaptive}
  layout.text = kTextWithWide;
  return layout;
}

// The same files at v3.12.1.
PythonLayout layout_3_12() {
  PythonLayout layout;
  layout.frames = FrameKind::Shimmed;
  layout.lines = LineTable::Locations;
  layout.runtime = {40};
  layout.interpreter = {0, 72};  // threads stands behind id, mutex and the monitoring versions
  layout.thread = {8, 16, 0, 136, 144, 56};  // _PyCFrame.current_frame is first
  layout.frame = {8, 0, 56, 70, 0};          // {previous, f_code, prev_instr, owner}
  layout.code = {68, 112, 128, 136, 192, 0};
  layout.text = kText;
  return layout;
}

void set_bytes_to_read(PythonLayout* layout) {
  PythonLayout::Frame& frame = layout->frame;
  frame.bytes = std::max({frame.back, frame.code, frame.instruction}) + kPointer;
  frame.bytes = std::max(frame.bytes, frame.mark + 1);  // one byte
  PythonLayout::Code& code = layout->code;
  code.bytes = std::max({code.first_line, code.file, code.name, code.lines}) + kPointer;
  if (layout->frames == FrameKind::Objects)
    code.bytes = std::max(code.bytes, code.bytecode + kPointer);
}

// _Py_DebugOffsets is groups of 64-bit words, each of which begins with the size of its structure. What is
// used here has the same place in its group in 3.13 (Include/internal/pycore_runtime.h at v3.13.0) and
// 3.14 (Include/internal/pycore_debug_offsets.h at v3.14.0), which put more words into the groups.
struct Groups {
  size_t runtime, interpreter, thread, frame, code, object, type, bytes, text;
};
constexpr Groups kGroups13{3, 6, 19, 28, 34, 44, 46, 64, 67};
constexpr Groups kGroups14{3, 6, 22, 31, 39, 50, 52, 74, 77};
constexpr size_t kVersionWord = 1, kFreeThreadedWord = 2;
static_assert(kGroups14.text + 3 < kPublishedBytes / sizeof(uint64_t));

// Takes offsets out of the published words; `bad` once one lies outside of its structure.
struct Taker {
  const PublishedOffsets& words;
  bool bad = false;

  uint64_t take(size_t group, size_t word, uint64_t bytes = kPointer) {
    // _PyRuntimeState, the largest, has some 300 KB.
    constexpr uint64_t kLargest = 64 << 20;
    const uint64_t size = words[group], offset = words[group + word];
    if (size > kLargest || offset >= size || size - offset < bytes) bad = true;
    return offset;
  }
};

}  // namespace

std::string PythonVersion::text() const {
  std::string text = std::to_string(major()) + "." + std::to_string(minor());
  return exact ? text + "." + std::to_string(hex >> 8 & 0xff) : text;
}

std::optional<PythonLayout> table_layout(PythonVersion version) {
  if (version.major() != 3) return std::nullopt;
  PythonLayout layout;
  switch (version.minor()) {
    case 9:
      layout = layout_3_9();
      break;
    case 10:
      layout = layout_3_10();
      break;
    case 11:
      layout = layout_3_11();
      break;
    case 12:
      layout = layout_3_12();
      break;
    default:
      return std::nullopt;
  }
  layout.object = kObject;
  layout.type_name = kTypeName;
  layout.bytes_data = kBytesData;
  set_bytes_to_read(&layout);
  return layout;
}

PythonVersion published_version(const PublishedOffsets& published) {
  if (std::memcmp(published.data(), kCookie, kPointer) != 0) return {};
  return {static_cast<uint32_t>(published[kVersionWord]), true};
}

Result<PythonLayout> published_layout(const PublishedOffsets& published) {
  const PythonVersion version = published_version(published);
  if (version.hex == 0) return Status::error("its published offsets have no cookie");
  if (version.major() != 3 || (version.minor() != 13 && version.minor() != 14))
    return Status::error("its published offsets are those of " + version.text());
  const bool is_14 = version.minor() == 14;
  const Groups& at = is_14 ? kGroups14 : kGroups13;
  Taker from{published};
  PythonLayout layout;
  layout.frames = FrameKind::Shimmed;
  layout.lines = LineTable::Locations;
  layout.runtime = {from.take(at.runtime, 2)};
  layout.interpreter = {from.take(at.interpreter, 2), from.take(at.interpreter, 3)};
  layout.thread = {from.take(at.thread, 2), from.take(at.thread, 3), from.take(at.thread, 4),
                   from.take(at.thread, 5), from.take(at.thread, 6), {}};
  layout.frame = {from.take(at.frame, 1), from.take(at.frame, 2), from.take(at.frame, 3),
                  from.take(at.frame, 5, 1), 0};
  layout.code = {from.take(at.code, 5, 4), from.take(at.code, 1),    from.take(at.code, 3),
                 from.take(at.code, 4),    from.take(at.code, 9, 1), 0};
  layout.object = {from.take(at.object, 1), from.take(at.bytes, 1)};
  layout.type_name = from.take(at.type, 1);
  layout.bytes_data = from.take(at.bytes, 2, 1);
  layout.text.length = from.take(at.text, 2);
  layout.text.state = from.take(at.text, 1, 4);
  // PyCompactUnicodeObject is PyASCIIObject with the UTF-8 form's length and address behind it.
  layout.text.ascii_data = from.take(at.text, 3, 2 * kPointer);
  layout.text.other_data = layout.text.ascii_data + 2 * kPointer;
  layout.text.state_varies = is_14;
  layout.tagged_code = is_14;
  layout.copied_code = is_14 && published[kFreeThreadedWord] != 0;
  if (from.bad) return Status::error("its published offsets lie outside of their structures");
  set_bytes_to_read(&layout);
  // Read into buffers of this size (python_objects.h, python_frames.cc).
  constexpr uint64_t kLargestRead = 512;
  if (layout.frame.bytes > kLargestRead || layout.code.bytes > kLargestRead)
    return Status::error("its published offsets lie outside of their structures");
  return layout;
}

}  // namespace lockstep::live
