#include "analysis/pyramid/pyramid_files.h"

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

#include <cstring>
#include <filesystem>

#include "base/json.h"
#include "base/output_file.h"
#include "base/system.h"

namespace lockstep::analysis {
namespace {

constexpr uint64_t kFormat = 3;
constexpr char kFileMagic[8] = {'L', 'K', 'C', 'E', 'L', 'L', 'S', '1'};
constexpr int kZstdLevel = 3;
constexpr size_t kMostIndexBytes = size_t{256} << 20;
constexpr uint64_t kMostCells = uint64_t{1} << 28;  // 3.5 GB in memory: more was never written
constexpr size_t kCellBytes = 10;

struct Header {
  char magic[8];
  uint32_t finest, lanes;
  int64_t window;
  uint64_t checksum;  // XXH3 of the payload
};

std::string index_path(const std::string& folder) { return folder + "/index.json"; }
std::string cells_path(const std::string& folder, int64_t window) {
  return folder + "/" + std::to_string(window) + ".cells";
}

// Byte k of all cells, then byte k + 1 of all: neighbours are alike, their low bytes are not.
std::string planes_of(const Pyramid& pyramid, int64_t window) {
  const size_t count = pyramid.lanes().size() * size_t{kWindowBuckets};
  std::string planes(count * kCellBytes, '\0');
  size_t at = 0;
  for (size_t lane = 0; lane < pyramid.lanes().size(); ++lane) {
    for (const Cell& cell :
         pyramid.cells(lane, pyramid.finest(), window * kWindowBuckets, size_t{kWindowBuckets})) {
      const uint32_t words[3] = {cell.busy | uint32_t{cell.waiting} << 16, cell.caused,
                                 cell.longest_wait_us};
      for (size_t k = 0; k < 4; ++k) planes[k * count + at] = char(words[0] >> (8 * k) & 0xff);
      for (size_t k = 0; k < 2; ++k)
        planes[(4 + k) * count + at] = char(words[1] >> (8 * k) & 0xff);
      for (size_t k = 0; k < 4; ++k)
        planes[(6 + k) * count + at] = char(words[2] >> (8 * k) & 0xff);
      ++at;
    }
  }
  return planes;
}

void set_planes(const std::string& planes, int64_t window, Pyramid* pyramid) {
  const size_t count = pyramid->lanes().size() * size_t{kWindowBuckets};
  const auto word = [&](size_t first, size_t bytes, size_t at) {
    uint32_t value = 0;
    for (size_t k = 0; k < bytes; ++k)
      value |= uint32_t{static_cast<unsigned char>(planes[(first + k) * count + at])} << (8 * k);
    return value;
  };
  size_t at = 0;
  for (size_t lane = 0; lane < pyramid->lanes().size(); ++lane) {
    Cells cells(size_t{kWindowBuckets});
    for (Cell& cell : cells) {
      cell.busy = static_cast<uint16_t>(word(0, 2, at));
      cell.waiting = static_cast<uint16_t>(word(2, 2, at));
      cell.caused = static_cast<uint16_t>(word(4, 2, at));
      cell.longest_wait_us = word(6, 4, at);
      ++at;
    }
    pyramid->set(lane, window * kWindowBuckets, cells);
  }
}

Status write_window(const std::string& folder, const Pyramid& pyramid, int64_t window) {
  const std::string planes = planes_of(pyramid, window);
  std::string file(sizeof(Header) + ZSTD_compressBound(planes.size()), '\0');
  const size_t packed = ZSTD_compress(file.data() + sizeof(Header), file.size() - sizeof(Header),
                                      planes.data(), planes.size(), kZstdLevel);
  if (ZSTD_isError(packed) != 0) return Status::error("zstd cannot compress cells");
  file.resize(sizeof(Header) + packed);
  Header header{};
  std::memcpy(header.magic, kFileMagic, sizeof(kFileMagic));
  header.finest = static_cast<uint32_t>(pyramid.finest());
  header.lanes = static_cast<uint32_t>(pyramid.lanes().size());
  header.window = window;
  header.checksum = XXH3_64bits(file.data() + sizeof(Header), packed);
  std::memcpy(file.data(), &header, sizeof(header));
  FileTerms terms;
  terms.mode = 0600;
  return write_file(cells_path(folder, window), file, IfExists::Replace, terms);
}

Status read_window(const std::string& folder, int64_t window, Pyramid* pyramid) {
  const std::string path = cells_path(folder, window);
  const size_t bytes = pyramid->lanes().size() * size_t{kWindowBuckets} * kCellBytes;
  const auto file = read_small_file(path, sizeof(Header) + ZSTD_compressBound(bytes));
  if (!file.ok()) return Status::error(path + ": " + file.message());
  Header header{};
  if (file.value().size() < sizeof(header)) return Status::error(path + ": it is cut short");
  std::memcpy(&header, file.value().data(), sizeof(header));
  const char* payload = file.value().data() + sizeof(header);
  const size_t packed = file.value().size() - sizeof(header);
  if (std::memcmp(header.magic, kFileMagic, sizeof(kFileMagic)) != 0 ||
      header.finest != static_cast<uint32_t>(pyramid->finest()) ||
      header.lanes != pyramid->lanes().size() || header.window != window ||
      header.checksum != XXH3_64bits(payload, packed))
    return Status::error(path + ": it does not belong to this pyramid");
  std::string planes(bytes, '\0');
  if (ZSTD_decompress(planes.data(), planes.size(), payload, packed) != bytes)
    return Status::error(path + ": it cannot be unpacked");
  set_planes(planes, window, pyramid);
  return Status();
}

std::string index_json(const StoredPyramid& stored) {
  JsonFields out;
  const auto put_pair = [&](int64_t a, int64_t b) {
    out.writer().StartArray();
    out.writer().Int64(a);
    out.writer().Int64(b);
    out.writer().EndArray();
  };
  out.object([&] {
    out.number("format", kFormat);
    out.number("origin_ns", stored.origin_ns);
    out.number("length_ns", stored.pyramid.length_ns());
    out.number("finest", stored.pyramid.finest());
    out.number("operations", stored.extent.operations);
    out.number("table_bytes", stored.extent.table_bytes);
    out.number("recorded_ns", stored.extent.length_ns);
    out.string("clock", stored.sources.clock);
    out.list("segments", stored.sources.segments, [&](const auto& segment) {
      out.object([&] {
        out.string("name", segment.first);
        out.number("bytes", segment.second);
      });
    });
    out.list("lanes", stored.pyramid.lanes(), [&](const LaneFacts& lane) {
      out.object([&] {
        out.number("rank", lane.rank);
        out.string("host", lane.host);
        out.strings("communicators", lane.communicators);
        out.boolean("lost", lane.lost);
        out.list("recorded", lane.recorded,
                 [&](const TimeSpan& span) { put_pair(span.from_ns, span.to_ns); });
      });
    });
  });
  return std::string(out.text()) + "\n";
}

LaneFacts lane_of(const json::Value& element) {
  LaneFacts lane;
  lane.rank = static_cast<int32_t>(int_member(element, "rank"));
  lane.host = text_member(element, "host");
  lane.communicators = texts_member(element, "communicators");
  lane.lost = bool_member(element, "lost");
  for (const json::Value& span : elements_of(element, "recorded")) {
    if (span.IsArray() && span.Size() == 2 && span[0].IsInt64() && span[1].IsInt64())
      lane.recorded.push_back({span[0].GetInt64(), span[1].GetInt64()});
  }
  return lane;
}

}  // namespace

Status write_pyramid(const std::string& folder, const StoredPyramid& stored, int64_t first_window) {
  const auto windows = static_cast<int64_t>(stored.pyramid.buckets() - 1) / kWindowBuckets + 1;
  for (int64_t window = first_window; window < windows; ++window) {
    Status written = write_window(folder, stored.pyramid, window);
    if (!written.ok()) return written;
  }
  FileTerms terms;
  terms.mode = 0600;
  return write_file(index_path(folder), index_json(stored), IfExists::Replace, terms);
}

Result<StoredPyramid> read_pyramid(const std::string& folder) {
  const auto text = read_small_file(index_path(folder), kMostIndexBytes);
  if (!text.ok()) return Status::error(index_path(folder) + ": " + text.message());
  json::Document index;
  const auto bad = [&] { return Status::error(index_path(folder) + ": it is no pyramid's index"); };
  if (!parse_json(text.value(), &index) || uint_member(index, "format") != kFormat) return bad();
  std::vector<LaneFacts> lanes;
  for (const json::Value& lane : elements_of(index, "lanes")) lanes.push_back(lane_of(lane));
  const int64_t length_ns = int_member(index, "length_ns"), finest = int_member(index, "finest");
  if (finest < 0 || finest >= kLevels || length_ns < 0) return bad();
  const auto buckets = static_cast<uint64_t>(length_ns / bucket_ns(static_cast<int>(finest))) + 1;
  if (buckets > kMostCells || buckets * (lanes.size() + 1) > kMostCells) return bad();
  StoredPyramid stored{{}, {}, 0, Pyramid(std::move(lanes), length_ns, static_cast<int>(finest))};
  stored.origin_ns = int_member(index, "origin_ns");
  stored.extent = {int_member(index, "recorded_ns"), uint_member(index, "operations"),
                   uint_member(index, "table_bytes")};
  stored.sources.clock = text_member(index, "clock");
  for (const json::Value& segment : elements_of(index, "segments"))
    stored.sources.segments.emplace_back(text_member(segment, "name"),
                                         uint_member(segment, "bytes"));
  for (int64_t window = 0; window * kWindowBuckets < static_cast<int64_t>(buckets); ++window) {
    const Status read = read_window(folder, window, &stored.pyramid);
    if (!read.ok()) return read;
  }
  stored.pyramid.complete();
  return stored;
}

uint64_t pyramid_bytes(const std::string& folder) {
  std::error_code error;
  uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const auto size = entry.file_size(error);
    if (!error) bytes += size;
  }
  return bytes;
}

}  // namespace lockstep::analysis
