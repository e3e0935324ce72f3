// The system calls that writing segments needs, behind one seam so that tests can make them fail.
// Every function returns what the call returns, or -errno; interrupted calls are repeated. Safe
// from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace lockstep::dumper {

class FileIo {
 public:
  virtual ~FileIo() = default;
  // A new file for reading and writing that did not exist before, 0600, never through a symbolic
  // link.
  virtual int create(const char* path);
  virtual int64_t write_at(int file, const void* bytes, size_t size, uint64_t offset);
  virtual int truncate(int file, uint64_t size);
  virtual int sync(int file);
  virtual int close(int file);
  virtual int remove(const char* path);
  virtual int make_directory(const char* path);  // 0700
  // mkdir -p; 0 also when it is there.
  int make_directories(const std::string& path);
  // Whether the open file has no name any more: it, or its directory, was removed.
  virtual bool nameless(int file);
  virtual bool exists(const char* path);
};

FileIo* system_file_io();

}  // namespace lockstep::dumper
