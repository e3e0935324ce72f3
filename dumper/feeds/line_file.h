// A text file of lines that another program reads while it grows: every write ends at a line's end.
// The first write makes folder and file (an older file of the name is emptied). A collector may take
// the file away or put another one in its place: what comes then goes into the file that has the
// name. While the disk is full, lines wait here up to a bound; beyond it they are dropped and
// counted. Dump thread only.
#pragma once

#include <string>
#include <string_view>

#include "lockstep/status.h"

namespace lockstep::dumper {

class LineFile {
 public:
  // `first_line` begins every file, also one made later because the first was taken away; "" = none.
  explicit LineFile(std::string path, std::string first_line = {})
      : path_(std::move(path)), first_line_(std::move(first_line)) {}
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  // Without its newline.
  void add(std::string_view line);
  // Writes what waits. On error it goes on waiting.
  Status flush();
  uint64_t dropped() const { return dropped_; }
  const std::string& path() const { return path_; }

 private:
  Status open_file();
  bool has_lost_its_name() const;
  void leave_file();

  std::string path_, first_line_;
  bool opened_before_ = false;
  int file_ = -1;
  std::string waiting_;
  uint64_t dropped_ = 0;
  size_t written_of_waiting_ = 0;
};

// Makes a folder and those above it, for other programs to read and never to write, whatever the
// umask. (Run directories are private: FileIo::make_directories.)
Status make_folders(const std::string& path);

}  // namespace lockstep::dumper
