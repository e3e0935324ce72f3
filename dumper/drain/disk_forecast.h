// How much this process will write in an hour if it goes on as in the last minute: bytes of
// segments, from one look a second. Owned by the dump thread; knows no clock of its own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace lockstep::dumper {

class DiskForecast {
 public:
  // `bytes` were written in all by `now_ns`, of a clock that only goes forward.
  void look(uint64_t now_ns, uint64_t bytes);
  // 0 until there are two looks a second apart.
  uint64_t bytes_per_hour() const;

 private:
  struct Look {
    uint64_t ns = 0, bytes = 0;
  };
  std::array<Look, 61> looks_;  // a ring
  size_t count_ = 0;            // of looks kept so far; the last is looks_[(count_ - 1) % 61]
};

}  // namespace lockstep::dumper
