#include "live/serve/packing.h"

#include <zlib.h>

namespace lockstep::serve {
namespace {

constexpr int kLevel = 1;       // tiles shrink to a fifth at 1, hardly further at 6
constexpr int kGzip = 16 + 15;  // zlib's windowBits: a gzip header, the largest window
constexpr int kMemoryLevel = 8;
constexpr size_t kLeastBytes = 1024;

}  // namespace

void pack(const HttpRequest& request, HttpResponse* response) {
  if (request.accept_encoding.find("gzip") == std::string::npos) return;
  if (response->body.size() < kLeastBytes) return;
  z_stream stream = {};
  if (deflateInit2(&stream, kLevel, Z_DEFLATED, kGzip, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK)
    return;
  std::string packed(deflateBound(&stream, response->body.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(response->body.data());
  stream.avail_in = static_cast<uInt>(response->body.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const bool done = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  packed.resize(packed.size() - stream.avail_out);
  deflateEnd(&stream);
  if (!done) return;
  response->body = std::move(packed);
  response->headers.emplace_back("Content-Encoding", "gzip");
}

}  // namespace lockstep::serve
