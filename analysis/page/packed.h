// Bytes for browsers, which unpack gzip by themselves: of an answer (live/http/packing.h), and inside a page
// (DecompressionStream), written as base64. Pure functions; lack of memory is std::bad_alloc.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::analysis {

// zlib's level, from 1, the fastest, to 9, the smallest.
std::string gzip(std::string_view bytes, int level);
std::string gzip_base64(std::string_view bytes);

}  // namespace lockstep::analysis
