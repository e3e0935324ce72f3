#include "dumper/segment/segment_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "dumper/segment/columns.h"

namespace lockstep::dumper {
namespace {

// More would be copied out of the page cache again for each part of a run, and leave the processor's own cache.
constexpr size_t kReadAhead = 64 << 10;
constexpr size_t kHeaderReadAhead = 4096;  // listing a run opens every file for its header only
constexpr const char* kEndsInside = "the file ends inside a chunk";
constexpr const char* kNotOurs = "not a lockstep segment (its first 8 bytes are not LKSTEP1)";
// Looking for the next chunk after damage may check at most this much: a hostile file can hold a
// header at every byte.
constexpr uint64_t kMaxSearchBytes = 1u << 30;
// zstd's worst case is a little above the raw size.
constexpr uint64_t kMaxStoredBytes = uint64_t{kMaxChunkBytes} + kMaxChunkBytes / 128 + 1024;

}  // namespace

std::string to_sentence(const Damage& damage) {
  return damage.file + ": " + std::to_string(damage.bytes) + " bytes at offset " +
         std::to_string(damage.offset) + ": " + damage.what;
}

Result<std::unique_ptr<SegmentReader>> SegmentReader::open(const std::string& path) {
  return open(path, {});
}

Result<std::unique_ptr<SegmentReader>> SegmentReader::open(const std::string& path,
                                                           SegmentReaderOptions options) {
  std::unique_ptr<SegmentReader> reader(new SegmentReader);
  reader->path_ = path;
  reader->options_ = options;
  // O_NONBLOCK: a FIFO somebody put here must not hold us up.
  reader->file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (reader->file_ < 0) return Status::error(path + ": cannot open: " + std::strerror(errno));
  struct stat facts;
  if (::fstat(reader->file_, &facts) != 0 || !S_ISREG(facts.st_mode)) {
    return Status::error(path + ": not a regular file");
  }
  reader->size_ = static_cast<uint64_t>(facts.st_size);
  Status status = reader->read_header();
  if (!status.ok()) return status;
  return reader;
}

SegmentReader::~SegmentReader() {
  if (file_ >= 0) ::close(file_);
}

// Makes bytes [offset, offset + size) available at buffer_[offset - buffer_at_]; false when the
// file ends before.
bool SegmentReader::fill(uint64_t offset, size_t size) {
  if (offset >= buffer_at_ && offset + size <= buffer_at_ + buffered_) return true;
  if (offset + size > size_) return false;
  const size_t ahead = offset == 0 ? kHeaderReadAhead : kReadAhead;
  buffer_.resize(std::max({buffer_.size(), size, std::min<size_t>(ahead, size_ - offset)}));
  buffer_at_ = offset;
  buffered_ = 0;
  while (buffered_ < size) {
    const ssize_t got = ::pread(file_, buffer_.data() + buffered_, buffer_.size() - buffered_,
                                static_cast<off_t>(offset + buffered_));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    buffered_ += static_cast<size_t>(got);
  }
  return true;
}

Status SegmentReader::read_header() {
  at_ = sizeof(SegmentHeader);
  if (size_ < sizeof(SegmentHeader) || !fill(0, sizeof(SegmentHeader))) {
    at_ = size_;
    const auto begin = static_cast<size_t>(std::min<uint64_t>(size_, sizeof kSegmentMagic));
    const bool ours =
        begin == 0 || (fill(0, begin) && std::memcmp(buffer_.data(), kSegmentMagic, begin) == 0);
    report(0, size_, ours ? "the segment ends inside its header" : kNotOurs, ours);
    return Status();
  }
  SegmentHeader header;
  std::memcpy(&header, buffer_.data(), sizeof header);
  if (std::memcmp(header.magic, kSegmentMagic, sizeof header.magic) != 0) {
    return Status::error(path_ + ": " + kNotOurs);
  }
  if (header.checksum != XXH3_64bits(&header, offsetof(SegmentHeader, checksum))) {
    report(0, sizeof header, "the segment header's checksum does not match", false);
    return Status();
  }
  if (header.version != kFormatVersion || (header.features & ~kKnownFeatures) != 0) {
    return Status::error(path_ + ": written in format version " + std::to_string(header.version) +
                         " with features " + std::to_string(header.features) +
                         ", which this lockstep does not know; use a newer one");
  }
  header_ = header;
  return Status();
}

SegmentReader::Found SegmentReader::chunk_at(uint64_t offset, ChunkHeader* header,
                                             const char** what) {
  if (offset == size_) return Found::End;
  *what = kEndsInside;
  if (!fill(offset, sizeof *header)) return Found::Wrong;
  std::memcpy(header, buffer_.data() + (offset - buffer_at_), sizeof *header);
  if (header->magic != kChunkMagic) {
    *what = "no chunk begins here";
    return Found::Wrong;
  }
  if (header->stored_bytes > kMaxStoredBytes || header->raw_bytes > kMaxChunkBytes ||
      header->records > kMaxChunkRecords) {
    *what = "the chunk claims to be larger than any chunk can be";
    return Found::Wrong;
  }
  if (!fill(offset, sizeof *header + header->stored_bytes)) return Found::Wrong;
  uint8_t* bytes = buffer_.data() + (offset - buffer_at_);
  ChunkHeader blank = *header;
  blank.checksum = 0;
  std::memcpy(bytes, &blank, sizeof blank);
  const uint64_t checksum = XXH3_64bits(bytes, sizeof blank + header->stored_bytes);
  std::memcpy(bytes, header, sizeof *header);
  hashed_ += header->stored_bytes;
  *what = "the checksum does not match";
  return checksum == header->checksum ? Found::Whole : Found::Wrong;
}

uint64_t SegmentReader::next_magic(uint64_t from) {
  while (from + sizeof(ChunkHeader) <= size_) {
    const size_t window = static_cast<size_t>(std::min<uint64_t>(kReadAhead, size_ - from));
    if (!fill(from, window)) return size_;
    const uint8_t* begin = buffer_.data() + (from - buffer_at_);
    const void* found = ::memmem(begin, window, &kChunkMagic, sizeof kChunkMagic);
    if (found != nullptr)
      return from + static_cast<uint64_t>(static_cast<const uint8_t*>(found) - begin);
    from += window - (sizeof kChunkMagic - 1);
  }
  return size_;
}

bool SegmentReader::resynchronise(uint64_t from, uint64_t* at) {
  const uint64_t limit = hashed_ + kMaxSearchBytes + size_;
  ChunkHeader header;
  const char* what = nullptr;
  for (*at = next_magic(from); *at < size_ && hashed_ < limit; *at = next_magic(*at + 1)) {
    if (chunk_at(*at, &header, &what) == Found::Whole) return true;
  }
  *at = size_;
  return false;
}

void SegmentReader::report(uint64_t offset, uint64_t end, std::string what, bool torn) {
  damage_.push_back({path_, offset, end - offset, std::move(what), torn});
}

bool SegmentReader::decode(const ChunkHeader& header, SegmentChunk* chunk) {
  const uint8_t* stored = buffer_.data() + (chunk->offset - buffer_at_) + sizeof header;
  Status status;
  if (chunk->type != ChunkType::Records) {
    status = decoder_.decode_text(header, stored, &chunk->text);
  } else if (options_.decode_records && header.last_raw_ns >= options_.from_raw_ns) {
    status = options_.comms_only
                 ? decoder_.decode_comms(header, stored, &chunk->records)
                 : decoder_.decode_records(header, stored, &chunk->records, options_.words);
  }
  if (!status.ok()) report(chunk->offset, at_, status.message(), false);
  return status.ok();
}

void SegmentReader::seek(uint64_t offset) {
  at_ = std::max<uint64_t>(offset, sizeof(SegmentHeader));
  if (at_ < size_) {
    resynchronise(at_, &at_);
  } else {
    at_ = size_;
  }
}

bool SegmentReader::next(SegmentChunk* chunk) {
  for (;;) {
    ChunkHeader header;
    const char* what = nullptr;
    const Found found = chunk_at(at_, &header, &what);
    if (found == Found::End) return false;
    if (found == Found::Wrong) {
      const uint64_t start = at_;
      const bool more = resynchronise(start + 1, &at_);
      report(start, at_, what, !more && what == kEndsInside);
      continue;
    }
    chunk->header = header;
    chunk->offset = at_;
    at_ += sizeof header + header.stored_bytes;
    if (header.type < static_cast<uint8_t>(ChunkType::Facts) ||
        header.type > static_cast<uint8_t>(ChunkType::Load)) {
      ++unknown_chunks_;
      continue;
    }
    chunk->type = static_cast<ChunkType>(header.type);
    if (decode(header, chunk)) return true;
  }
}

}  // namespace lockstep::dumper
