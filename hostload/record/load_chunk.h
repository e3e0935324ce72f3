// A LoadChunk (lockstep/load_record.h) as bytes and back. The bytes are sections, each a tag, its size
// and its content, all numbers LEB128 (dumper/segment/varint.h). Lists hold texts and numbers one after
// the other. Tables hold their columns' count, their rows' count, then column by column the zigzag
// difference to the row before, rows sorted by subject: totals grow slowly, so most differences are one
// byte or two. A reader skips sections and columns that it does not know; fields that the bytes lack
// keep their defaults. Pure functions, any thread.
#pragma once

#include <string>
#include <string_view>

#include "lockstep/load_record.h"
#include "lockstep/status.h"

namespace lockstep::hostload {

// Sorts the chunk's tables by subject.
std::string encode_load(LoadChunk* chunk);

// The bytes may say anything; the error is what is wrong with them. Memory is bounded by their size.
Result<LoadChunk> decode_load(std::string_view bytes);

}  // namespace lockstep::hostload
