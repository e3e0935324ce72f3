#include "live/questions/file_parts.h"

namespace lockstep::live {
namespace {

constexpr size_t kSentPieceBytes = 1 << 18;

}  // namespace

FileToSend open_to_send(const std::string& path) {
  return FileToSend(std::fopen(path.c_str(), "rbe"));
}

bool send_rest(std::FILE* file, const std::string& name, PartSink* parts) {
  std::string piece(kSentPieceBytes, '\0');
  while (const size_t got = std::fread(piece.data(), 1, piece.size(), file)) {
    if (!parts->put(name, {piece.data(), got})) return false;
  }
  return std::ferror(file) == 0;
}

}  // namespace lockstep::live
