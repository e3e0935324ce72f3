#include "hostload/record/load_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/clock_ns.h"
#include "base/own_file.h"
#include "base/system.h"
#include "dumper/segment/chunk_encode.h"
#include "dumper/segment/file_io.h"
#include "dumper/segment/segment_writer.h"
#include "hostload/record/load_chunk.h"

namespace lockstep::hostload {

Result<LoadWriter> LoadWriter::open(const std::string& directory, const std::string& host) {
  dumper::system_file_io()->make_directories(directory);
  std::string path = directory + "/" + host + kLoadFileSuffix;
  std::FILE* file = open_own_file_to_append(path);
  if (file == nullptr)
    return Status::error(path + ": cannot be opened for writing: " + std::strerror(errno));
  LoadWriter writer(std::move(path), file);
  if (lseek(fileno(file), 0, SEEK_END) != 0) return writer;
  SegmentHeader header{};
  header.process_uid = random_u64();
  header.created_real_ns = static_cast<uint64_t>(real_now_ns());
  dumper::seal_header(&header);
  const Status written = writer.write(&header, sizeof header);
  if (!written.ok()) return written;
  return writer;
}

// Around the stream's buffer: one call of the system, which appends all or, on a full disk, a part.
Status LoadWriter::write(const void* bytes, size_t size) {
  const ssize_t written = ::write(fileno(file_.get()), bytes, size);
  if (written == static_cast<ssize_t>(size)) return Status();
  return Status::error(path_ +
                       ": cannot be written: " + std::strerror(written < 0 ? errno : ENOSPC));
}

Status LoadWriter::append(LoadChunk* chunk) {
  std::vector<uint8_t> bytes;
  Status encoded = dumper::encode_text(ChunkType::Load, encode_load(chunk), &bytes);
  if (!encoded.ok()) return encoded;
  dumper::seal_chunk(sequence_++, &bytes);
  return write(bytes.data(), bytes.size());
}

Result<LoadReader> LoadReader::open(const std::string& path) {
  auto reader = dumper::SegmentReader::open(path);
  if (!reader.ok()) return reader.status();
  return LoadReader(std::move(reader.value()));
}

bool LoadReader::next(LoadChunk* chunk) {
  dumper::SegmentChunk framed;
  while (reader_->next(&framed)) {
    if (framed.type != ChunkType::Load) continue;
    Result<LoadChunk> decoded = decode_load(framed.text);
    if (decoded.ok()) {
      *chunk = std::move(decoded.value());
      return true;
    }
    undecodable_.push_back({reader_->path(), framed.offset,
                            sizeof framed.header + framed.header.stored_bytes, decoded.message(),
                            false});
  }
  return false;
}

std::vector<dumper::Damage> LoadReader::damage() const {
  std::vector<dumper::Damage> all = reader_->damage();
  all.insert(all.end(), undecodable_.begin(), undecodable_.end());
  return all;
}

}  // namespace lockstep::hostload
