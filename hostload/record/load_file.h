// The file `<host>.load`: a segment's header, then Load chunks, framed, compressed and checksummed as in
// segments (lockstep/trace_format.h). One chunk is one write at the file's end, so that a sampler that
// takes over, or two that cannot see each other, add to the file what a reader can take apart again.
// The reader works on a file that grows; a torn or damaged chunk costs only itself and is in damage().
// Each belongs to one thread.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "dumper/segment/segment_reader.h"
#include "lockstep/load_record.h"
#include "lockstep/status.h"

namespace lockstep::hostload {

class LoadWriter {
 public:
  // Makes directory and file where they are not there; never through a symbolic link.
  static Result<LoadWriter> open(const std::string& directory, const std::string& host);

  // The error names the file; what could not be written is lost.
  Status append(LoadChunk* chunk);
  const std::string& path() const { return path_; }

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  LoadWriter(std::string path, std::FILE* file) : path_(std::move(path)), file_(file) {}
  Status write(const void* bytes, size_t size);

  std::string path_;
  std::unique_ptr<std::FILE, Closer> file_;
  uint32_t sequence_ = 0;
};

class LoadReader {
 public:
  // The error says why nothing of the file can be read.
  static Result<LoadReader> open(const std::string& path);

  // False at the end of the file.
  bool next(LoadChunk* chunk);
  std::vector<dumper::Damage> damage() const;

 private:
  explicit LoadReader(std::unique_ptr<dumper::SegmentReader> reader) : reader_(std::move(reader)) {}

  std::unique_ptr<dumper::SegmentReader> reader_;
  std::vector<dumper::Damage> undecodable_;
};

}  // namespace lockstep::hostload
