#include "dumper/drain/arena_pointer.h"

#include <unistd.h>

namespace lockstep::dumper {

ArenaPointer::ArenaPointer(const SegmentWriterOptions& segments, std::string arena)
    : directory_(segments.directory),
      path_(segments.directory + "/" + segments.host + "." + std::to_string(segments.pid) +
            ".arena"),
      arena_(std::move(arena)) {}

void ArenaPointer::write() {
  if (written_ || arena_.empty()) return;
  system_file_io()->make_directories(directory_);
  const std::string line = arena_ + "\n";
  ::unlink(path_.c_str());  // of a dead process with our number, or planted
  const int file = system_file_io()->create(path_.c_str());
  if (file < 0) return;
  written_ = system_file_io()->write_at(file, line.data(), line.size(), 0) ==
             static_cast<int64_t>(line.size());
  system_file_io()->close(file);
  if (!written_) ::unlink(path_.c_str());
}

void ArenaPointer::remove() {
  if (written_) ::unlink(path_.c_str());
  written_ = false;
}

}  // namespace lockstep::dumper
