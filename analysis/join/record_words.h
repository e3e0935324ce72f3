// Names for the payload words of records (record_shape.h), so that joins read as what they mean.
// Every function takes the first word of a whole record. Nothing here checks the tag: the caller
// has looked at it.
#pragma once

#include <cstdint>

#include "lockstep/record_shape.h"

namespace lockstep::analysis {

using Words = const uint64_t*;

constexpr uint32_t low32(uint64_t word) { return static_cast<uint32_t>(word); }
constexpr uint32_t high32(uint64_t word) { return static_cast<uint32_t>(word >> 32); }
constexpr uint16_t part16(uint64_t word, unsigned n) {
  return static_cast<uint16_t>(word >> 16 * n);
}
constexpr uint8_t part8(uint64_t word, unsigned n) { return static_cast<uint8_t>(word >> 8 * n); }

inline uint64_t id_word(Words w) { return w[1]; }
inline uint64_t parent_word(Words w) { return w[2]; }
inline int32_t rank_word(Words w) { return static_cast<int32_t>(low32(w[3])); }

struct ProxyOpWords {
  uint32_t pid;
  int32_t peer;
  uint8_t channel;
  bool is_send;
  uint32_t steps;
};
inline ProxyOpWords proxy_op_words(Words w) {
  return {high32(w[3]), static_cast<int32_t>(low32(w[4])), part8(w[4], 4), part8(w[4], 5) != 0,
          low32(w[5])};
}

}  // namespace lockstep::analysis
