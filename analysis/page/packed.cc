#include "analysis/page/packed.h"

#include <zlib.h>

#include <new>

namespace lockstep::analysis {

std::string gzip(std::string_view bytes, int level) {
  constexpr int kGzipWindow = 16 + 15, kDefaultMemory = 8;
  z_stream stream = {};
  if (deflateInit2(&stream, level, Z_DEFLATED, kGzipWindow, kDefaultMemory, Z_DEFAULT_STRATEGY) !=
      Z_OK)
    throw std::bad_alloc();
  std::string out(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());  // far below zlib's 4 GB
  stream.next_out = reinterpret_cast<Bytef*>(&out[0]);
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

std::string gzip_base64(std::string_view bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::string zip = gzip(bytes, Z_BEST_COMPRESSION);
  std::string out;
  out.reserve((zip.size() + 2) / 3 * 4);
  for (size_t at = 0; at < zip.size(); at += 3) {
    unsigned three = 0;
    for (size_t i = 0; i < 3; ++i)
      three = three << 8 | (at + i < zip.size() ? static_cast<unsigned char>(zip[at + i]) : 0u);
    for (size_t i = 0; i < 4; ++i)
      out.push_back(at + i <= zip.size() ? kDigits[three >> (18 - 6 * i) & 63] : '=');
  }
  return out;
}

}  // namespace lockstep::analysis
