// `HOST.PID.arena` in the run directory: one line, the path of the process's memory file, so that
// recovery finds it wherever it lies. Written by the dump thread before its first chunk, because a
// process may die earlier.
#pragma once

#include <string>

#include "dumper/segment/segment_writer.h"

namespace lockstep::dumper {

class ArenaPointer {
 public:
  // `arena` empty: no memory file, nothing is written.
  ArenaPointer(const SegmentWriterOptions& segments, std::string arena);
  // Makes the directory when it is not there. When it cannot be written recovery looks for arenas
  // by the run directory in their header. Throws std::bad_alloc.
  void write();
  void remove();

 private:
  std::string directory_, path_, arena_;
  bool written_ = false;
};

}  // namespace lockstep::dumper
