// Where CPython keeps what a stack is read from: the offsets of fields in its structures, by version.
// They are no interface of CPython's, but they are fixed for all patch releases of a minor version, and
// from 3.13 on the interpreter publishes them itself (`_Py_DebugOffsets`, the first bytes of
// `_PyRuntime`). All offsets are in bytes, of a release build on a 64-bit machine. Pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lockstep/status.h"

namespace lockstep::live {

// PY_VERSION_HEX: 0x030b07f0 is 3.11.7.
struct PythonVersion {
  uint32_t hex = 0;
  uint32_t major() const { return hex >> 24; }
  uint32_t minor() const { return hex >> 16 & 0xff; }
  // "3.11.7"; "3.9" where `exact` is false.
  std::string text() const;
  bool exact = true;  // a name of a file tells the minor version alone
};

// How a code object's line table is written.
enum class LineTable : uint8_t {
  Deltas,  // 3.9: pairs of unsigned instruction and signed line deltas (Objects/lnotab_notes.txt)
  Ranges,  // 3.10: the same pairs, each for a range of its own (PEP 626)
  Locations,  // 3.11 and later: variable-length entries (PEP 657, Objects/locations.md)
};

// What a thread's stack is made of.
enum class FrameKind : uint8_t {
  Objects,      // 3.9, 3.10: PyFrameObjects, each run by a call of the C evaluator of its own
  EntryMarked,  // 3.11: _PyInterpreterFrames; `is_entry` marks those that began a C evaluator
  Shimmed,      // 3.12 and later: a frame of the C evaluator's own stands before those it runs
};

struct PythonLayout {
  FrameKind frames = FrameKind::Objects;
  LineTable lines = LineTable::Deltas;

  struct Runtime {
    uint64_t interpreters = 0;  // the newest interpreter; the others hang on it
  } runtime;
  struct Interpreter {
    uint64_t next = 0, threads = 0;
  } interpreter;
  struct Thread {
    uint64_t next = 0, interpreter = 0, frame = 0;
    uint64_t pthread = 0;          // the pthread_t
    std::optional<uint64_t> task;  // the kernel's thread id, from 3.11 on
    std::optional<uint64_t>
        c_frame;  // 3.11, 3.12: `frame` is in a _PyCFrame that the thread points to
  } thread;
  struct Frame {
    uint64_t back = 0, code = 0;
    uint64_t instruction = 0;  // 3.9: bytes; 3.10: 2 bytes each; later a pointer into the code
    uint64_t mark = 0;         // is_entry (3.11), owner (later)
    uint64_t bytes = 0;        // to read for all of these
  } frame;
  struct Code {
    uint64_t first_line = 0, file = 0, name = 0, lines = 0;
    uint64_t bytecode = 0;  // 3.9, 3.10: a pointer to a bytes object; later the code itself
    uint64_t bytes = 0;     // to read for all but the code itself
  } code;
  struct Object {
    uint64_t type = 0, size = 0;  // ob_type; ob_size of what has one
  } object;
  uint64_t type_name = 0;   // tp_name
  uint64_t bytes_data = 0;  // ob_sval
  struct Text {
    uint64_t length = 0, state = 0;
    uint64_t ascii_data = 0, other_data = 0;  // where characters begin in a compact string
    bool state_varies = false;  // 3.14: where the bits of `state` begin depends on the build
  } text;
  bool tagged_code = false;  // 3.14: the lowest bits of Frame::code are a tag
  bool copied_code = false;  // 3.14 without GIL: each thread may run a copy of the code of its own
};

// The table, for 3.9 to 3.12. Nothing for others.
std::optional<PythonLayout> table_layout(PythonVersion version);

// What a 3.13 or 3.14 publishes: the bytes at `_PyRuntime`, kPublishedBytes of them. The error says what
// is wrong with them: no cookie, another version, an offset that cannot be.
constexpr size_t kPublishedBytes = 704;
using PublishedOffsets = std::array<uint64_t, kPublishedBytes / sizeof(uint64_t)>;
// 0 where the bytes do not begin as those of 3.13 and later do.
PythonVersion published_version(const PublishedOffsets& published);
Result<PythonLayout> published_layout(const PublishedOffsets& published);

}  // namespace lockstep::live
