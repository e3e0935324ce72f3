// Text as a part of a URL or of a folder's name=value: all but letters, digits, '.', '-' and '_' as %XX. Any thread.
#pragma once

#include <cctype>
#include <cstdio>
#include <string>

namespace lockstep {

inline std::string url_encoded(const std::string& text) {
  std::string encoded;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '_') {
      encoded += c;
      continue;
    }
    char hex[4];
    std::snprintf(hex, sizeof(hex), "%%%02X", static_cast<unsigned char>(c));
    encoded += hex;
  }
  return encoded;
}

}  // namespace lockstep
