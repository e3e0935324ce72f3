// A file that appears under its name whole or not at all: written beside it under a temporary name
// that nobody else has, renamed by commit(), removed when commit() was never called. An existing file
// is left alone unless the caller says Replace. Never follows a link, neither at the temporary name
// nor at the file's own. One thread at a time per object; also used inside NCCL's process.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>

#include "lockstep/status.h"

namespace lockstep {

enum class IfExists { Refuse, Replace };

struct FileTerms {
  mode_t mode = 0644;       // less the process's umask
  bool reach_disk = false;  // fsync before the file gets its name
};

class OutputFile {
 public:
  static Result<std::unique_ptr<OutputFile>> create(const std::string& path, IfExists if_exists,
                                                    FileTerms terms = {});
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // commit() reports what fails here.
  void write(std::string_view bytes);
  Status commit();
  // The file as it is called until then, for a library that opens it by its name.
  const std::string& temporary() const { return temporary_; }

 private:
  OutputFile() = default;
  void flush();

  std::string path_, temporary_;
  IfExists if_exists_ = IfExists::Refuse;
  FileTerms terms_;
  int file_ = -1, error_ = 0;
  std::string buffer_;
};

// All of it at once.
Status write_file(const std::string& path, std::string_view bytes, IfExists if_exists,
                  FileTerms terms = {});

// 0, or the errno. Never takes the name away from what another program has put there: EEXIST.
int rename_to_new(const std::string& from, const std::string& to);

}  // namespace lockstep
