// A field of a CSV line (RFC 4180): in quotes where it holds a comma, a quote or a line's end.
#pragma once

#include <string>
#include <string_view>

namespace lockstep {

inline std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace lockstep
