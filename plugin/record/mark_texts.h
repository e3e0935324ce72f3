// The texts of the program's own marks as numbers of the string table. Unlike NCCL's names they are no
// literals: a program may make them anew in the same buffer each time, so they are looked up by what
// they say, in a hash table beside the arena. Any thread, lock-free, no allocation, no system call; a
// look-up reads the text once. Used by marks.h.
#pragma once

#include <cstdint>

namespace lockstep::plugin {

// While a process records. kNullString for nullptr. Cut at 255 bytes, between characters of UTF-8.
// kOverflowString for texts beyond the first 3,072 or 96 KiB of all that is kept: the rest of the
// table is for NCCL's own names.
uint16_t intern_mark_text(const char* text);

}  // namespace lockstep::plugin
