// What tells the contents of two files apart without both in one place: their size and a checksum (XXH3).
// For copies that are compared before the original goes. Any thread; reads the file once.
#pragma once

#include <cstdint>
#include <string>

#include "lockstep/status.h"

namespace lockstep {

struct FileFingerprint {
  uint64_t bytes = 0, checksum = 0;
  bool operator==(const FileFingerprint& other) const {
    return bytes == other.bytes && checksum == other.checksum;
  }
  bool operator!=(const FileFingerprint& other) const { return !(*this == other); }
};

// The error: it cannot be opened or read.
Result<FileFingerprint> fingerprint_of(const std::string& path);

}  // namespace lockstep
