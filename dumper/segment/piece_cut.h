// Cuts a piece of a block in two, for chunks that no file takes whole (ulimit -f). Used by the dump
// thread and by recovery.
#pragma once

#include <cstddef>

#include "dumper/segment/chunk_encode.h"

namespace lockstep::dumper {

// The piece's first records, at most `most`, become `first`, the others `rest`, which also has the
// block's end and its calls. False, and nothing done, when all of it is in the first part: it has no
// more records, or holds something that is no record.
bool cut_piece(const Piece& whole, size_t most, Piece* first, Piece* rest);

}  // namespace lockstep::dumper
