#include "test/drivers/simulate/packed_words.h"

#include <zstd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

namespace lockstep::simulate {
namespace {

constexpr int kLevel = 1;

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

size_t checked(size_t result) {
  if (ZSTD_isError(result) == 0) return result;
  fprintf(stderr, "lockstep-simulate: zstd: %s\n", ZSTD_getErrorName(result));
  abort();
}

}  // namespace

void PackedWords::add(const std::vector<uint64_t>& words) {
  static const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  static std::vector<char> room;
  const size_t bytes = words.size() * sizeof(uint64_t);
  room.resize(ZSTD_compressBound(bytes));
  const size_t packed = checked(
      ZSTD_compressCCtx(context.get(), room.data(), room.size(), words.data(), bytes, kLevel));
  pieces_.push_back({words.size(), {room.data(), room.data() + packed}});
}

void PackedWords::move_before(std::vector<uint64_t>* words) {
  size_t count = words->size();
  for (const Piece& piece : pieces_) count += piece.words;
  std::vector<uint64_t> all(count);
  uint64_t* at = all.data();
  for (const Piece& piece : pieces_) {
    checked(ZSTD_decompress(at, piece.words * sizeof(uint64_t), piece.bytes.data(),
                            piece.bytes.size()));
    at += piece.words;
  }
  std::copy(words->begin(), words->end(), at);
  *words = std::move(all);
  pieces_.clear();
}

}  // namespace lockstep::simulate
