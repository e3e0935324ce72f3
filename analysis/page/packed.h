// Bytes inside a page: gzip, which browsers unpack by themselves (DecompressionStream), written as base64. Pure function.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::analysis {

std::string gzip_base64(std::string_view bytes);

}  // namespace lockstep::analysis
