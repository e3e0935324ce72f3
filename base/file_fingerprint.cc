#include "base/file_fingerprint.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

namespace lockstep {
namespace {

constexpr size_t kPieceBytes = 1 << 20;

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

Result<FileFingerprint> fingerprint_of(const std::string& path) {
  const std::unique_ptr<std::FILE, Closer> file(std::fopen(path.c_str(), "rbe"));
  if (file == nullptr) return Status::error(path + ": " + std::strerror(errno));
  const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state(XXH3_createState(),
                                                                              XXH3_freeState);
  XXH3_64bits_reset(state.get());
  std::vector<char> piece(kPieceBytes);
  FileFingerprint is;
  while (const size_t got = std::fread(piece.data(), 1, piece.size(), file.get())) {
    XXH3_64bits_update(state.get(), piece.data(), got);
    is.bytes += got;
  }
  if (std::ferror(file.get()) != 0) return Status::error(path + ": it cannot be read to its end");
  is.checksum = XXH3_64bits_digest(state.get());
  return is;
}

}  // namespace lockstep
