#include "test/drivers/common/log_file.h"

#include <zstd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace lockstep::driver {
namespace {

Status too_long(const std::string& path, size_t limit_bytes) {
  return Status::error(path + " holds more than " + std::to_string(limit_bytes) +
                       " bytes of text: split it");
}

Result<std::string> read_whole(const std::string& path, size_t limit_bytes) {
  const std::unique_ptr<FILE, int (*)(FILE*)> file(fopen(path.c_str(), "rb"), fclose);
  if (file == nullptr) return Status::error("cannot open " + path + ": " + strerror(errno));
  std::string text;
  char piece[1 << 16];
  size_t got = 0;
  while ((got = fread(piece, 1, sizeof piece, file.get())) > 0) {
    if (text.size() + got > limit_bytes) return too_long(path, limit_bytes);
    text.append(piece, got);
  }
  if (ferror(file.get()) != 0) return Status::error("cannot read " + path + ": " + strerror(errno));
  return text;
}

Result<std::string> decompress(const std::string& packed, const std::string& path,
                               size_t limit_bytes) {
  const std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream*)> stream(ZSTD_createDStream(),
                                                                        ZSTD_freeDStream);
  std::string text;
  std::string piece(1 << 17, '\0');
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  size_t left = 1;
  while (in.pos < in.size) {
    ZSTD_outBuffer out{piece.data(), piece.size(), 0};
    left = ZSTD_decompressStream(stream.get(), &out, &in);
    if (ZSTD_isError(left) != 0) {
      return Status::error(path + " is damaged at compressed byte " + std::to_string(in.pos) +
                           ": " + ZSTD_getErrorName(left));
    }
    if (text.size() + out.pos > limit_bytes) return too_long(path, limit_bytes);
    text.append(piece.data(), out.pos);
  }
  for (bool more = left != 0; more;) {
    ZSTD_outBuffer out{piece.data(), piece.size(), 0};
    left = ZSTD_decompressStream(stream.get(), &out, &in);
    if (ZSTD_isError(left) != 0 || (out.pos == 0 && left != 0))
      return Status::error(path + " is cut off: copy it again");
    if (text.size() + out.pos > limit_bytes) return too_long(path, limit_bytes);
    text.append(piece.data(), out.pos);
    more = left != 0;
  }
  return text;
}

}  // namespace

Result<std::string> read_text_file(const std::string& path, size_t limit_bytes) {
  Result<std::string> whole = read_whole(path, limit_bytes);
  if (!whole.ok() || whole.value().compare(0, 4, "\x28\xb5\x2f\xfd", 4) != 0) return whole;
  return decompress(whole.value(), path, limit_bytes);
}

}  // namespace lockstep::driver
