// Recovery from the memory file of a dead process, which lies where anybody may write. The input is
// a list of changes (offset, length, bytes) to a sound arena of three blocks, of which a segment
// holds a part. What recovery writes must read without damage.
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <memory>

#include "dumper/recovery/recovery.h"
#include "lockstep/record_shape.h"
#include "test/fuzz/input_file.h"

using namespace lockstep;

namespace {

constexpr uint64_t kUid = 0xabc;
constexpr unsigned kBlocks = 3;
constexpr size_t kArenaBytes = kFirstBlockOffset + kBlocks * kBlockBytes;

void require(bool holds) {
  if (!holds) __builtin_trap();
}

std::vector<uint64_t> sound_records(uint64_t seed) {
  std::vector<uint64_t> words;
  for (unsigned tag = 0; tag < kTags; ++tag) {
    const RecordShape& shape = kRecordShapes[tag];
    if (shape.words == 0) continue;
    words.push_back(make_word0(static_cast<Tag>(tag), 1000 * seed + tag));
    for (unsigned i = 1; i < shape.words; ++i)
      words.push_back(i == 1 ? make_event_id(Kind::Coll, 1, seed) : i);
  }
  return words;
}

// Where the arena and the segments of all inputs lie; gone at exit.
class Scene {
 public:
  Scene() : image_(kArenaBytes) {
    directory_ = fuzz::scratch_directory() + "/lockstep-fuzz-XXXXXX";
    require(mkdtemp(directory_.data()) != nullptr);
    make_image();
    file_ = open(arena().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    require(pwrite(file_, image_.data(), image_.size(), 0) == static_cast<ssize_t>(image_.size()));
    write_segment();
  }
  ~Scene() {
    clear({});
    rmdir(directory_.c_str());
  }
  std::string arena() const { return directory_ + "/a.blocks"; }
  const std::string& directory() const { return directory_; }

  // Changes the arena by the input; without one makes it sound again.
  void change(const uint8_t* data, size_t size) const {
    for (size_t left = size; left >= 6;) {
      uint32_t offset;
      uint16_t length;
      std::memcpy(&offset, data, sizeof offset);
      std::memcpy(&length, data + 4, sizeof length);
      data += 6;
      left -= 6;
      const size_t bytes = std::min<size_t>(length, left);
      offset %= kArenaBytes;
      const size_t fits = std::min<size_t>(bytes, kArenaBytes - offset);
      require(pwrite(file_, data, fits, offset) == static_cast<ssize_t>(fits));
      changed_.emplace_back(offset, fits);
      data += bytes;
      left -= bytes;
    }
  }
  void restore() const {
    for (const auto& [offset, bytes] : changed_)
      require(pwrite(file_, image_.data() + offset, bytes, static_cast<off_t>(offset)) ==
              static_cast<ssize_t>(bytes));
    changed_.clear();
    clear({"a.blocks", segment_});
  }

 private:
  void make_image() {
    auto header = std::make_unique<ArenaHeader>();
    header->magic = kArenaMagic;
    header->version = 1;
    header->pid = 7;
    header->process_uid = kUid;
    header->max_blocks = kBlocks;
    std::strcpy(header->host, "host");
    std::strcpy(header->facts, "{\"host\":\"host\",\"pid\":7}");
    header->facts_bytes = static_cast<uint32_t>(std::strlen(header->facts));
    header->anchors[0] = {0, 5'000, 1'000'000'005'000, 5'000};
    header->anchors[1] = {1'000'000, 505'000, 1'000'000'505'000, 505'000};
    header->anchors_taken = 2;
    header->strings[0].ready = 1;
    header->strings[0].length = 4;
    std::memcpy(header->string_bytes, "name", 4);
    std::memcpy(image_.data(), static_cast<const void*>(header.get()), sizeof *header);
    for (unsigned i = 0; i < kBlocks; ++i) {
      const std::vector<uint64_t> words = sound_records(i + 1);
      BlockHeader block{};
      block.sequence = i + 1;
      block.previous = i;
      block.tid = 77;
      block.published = pack_published(1, static_cast<uint32_t>(words.size() * sizeof(uint64_t)));
      block.calls[call_cell()] = 100;
      uint8_t* at = image_.data() + kFirstBlockOffset + i * kBlockBytes;
      std::memcpy(at, static_cast<const void*>(&block), sizeof block);
      std::memcpy(at + sizeof block, words.data(), words.size() * sizeof(uint64_t));
    }
  }
  static unsigned call_cell() {
    return dumper::call_cell(static_cast<unsigned>(Kind::Coll), Call::Start);
  }

  // The first block, and the beginning of the second.
  void write_segment() {
    dumper::SegmentWriterOptions options;
    options.directory = directory_;
    options.host = "host";
    options.pid = 7;
    options.process_uid = kUid;
    dumper::SegmentWriter writer(options, dumper::system_file_io());
    writer.set_facts("{\"host\":\"host\",\"pid\":7}");
    dumper::ChunkEncoder encoder;
    const std::vector<uint64_t> first = sound_records(1), second = sound_records(2);
    dumper::Piece piece;
    piece.tid = 77;
    piece.block_sequence = 1;
    piece.words = first.data();
    piece.bytes = static_cast<uint32_t>(first.size() * sizeof(uint64_t));
    encoder.add(piece);
    piece.block_sequence = 2;
    piece.words = second.data();
    piece.bytes = kRecordShapes[tag_of(second[0])].words * sizeof(uint64_t);
    encoder.add(piece);
    dumper::EncodedChunk chunk;
    require(encoder.finish({}, &chunk).ok() && writer.append(&chunk).ok());
    segment_ = writer.path().substr(directory_.size() + 1);
  }

  void clear(const std::vector<std::string>& keep) const {
    DIR* listing = opendir(directory_.c_str());
    require(listing != nullptr);
    while (const dirent* entry = readdir(listing)) {
      if (std::find(keep.begin(), keep.end(), entry->d_name) == keep.end())
        unlink((directory_ + "/" + entry->d_name).c_str());
    }
    closedir(listing);
  }

  std::string directory_, segment_;
  std::vector<uint8_t> image_;
  mutable std::vector<std::pair<uint64_t, size_t>> changed_;
  int file_ = -1;
};

void recover(const Scene& scene) {
  const auto opened = dumper::ArenaFile::open(scene.arena());
  if (!opened.ok()) return;
  dumper::ArenaFile& arena = *opened.value();
  if (!arena.claim()) return;
  const uint64_t uid = arena.header().process_uid;
  dumper::Recovery recovery(arena, scene.directory(),
                            dumper::read_segments(scene.directory(), uid));
  require(recovery.run().ok());
  const auto run = dumper::RunDirectory::open(scene.directory());
  require(run.ok());
  for (const dumper::ProcessEntry& process : run.value().processes) {
    dumper::ProcessReader reader(process, {});
    dumper::SegmentChunk chunk;
    while (reader.next(&chunk)) {
    }
    require(reader.damage().empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Scene scene;
  scene.change(data, size);
  recover(scene);
  scene.restore();
  return 0;
}
