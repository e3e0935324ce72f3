// Names that NCCL passes as C strings (functions, datatypes, algorithms, communicator names) become
// 16-bit numbers. The text is copied into the arena the first time it is seen, so that records need
// no pointer into libnccl and a killed process's records can still be read. Lock-free: two threads
// may enter the same text twice, readers go by text.
#pragma once

#include "lockstep/shared_blocks.h"

namespace lockstep::plugin {

class StringTable {
 public:
  explicit StringTable(ArenaHeader* arena) : arena_(arena) {}

  // The text's number; kNullString for nullptr, kOverflowString when the table is full. Cuts at
  // kMaxStringBytes.
  uint16_t intern(const char* text);
  // The same without looking for it: the caller did, and hashed it.
  uint16_t append(const char* text, uint32_t length, uint32_t hash);

 private:
  ArenaHeader* arena_;
};

}  // namespace lockstep::plugin
