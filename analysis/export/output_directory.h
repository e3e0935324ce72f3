// A directory of files that appears under its name whole or not at all: written beside it under a
// temporary name, renamed by commit(), removed when commit() was never called. An existing one is
// replaced only when the caller says Replace and an export made it (it holds kExportMark), so that a
// mistyped path never costs anyone a directory. One thread at a time per object.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/output_file.h"

namespace lockstep::analysis {

// In every exported directory: what it is and what made it. The name begins with an underscore
// because Spark and its like skip such files.
constexpr const char* kExportMark = "_lockstep_export.txt";

class OutputDirectory {
 public:
  static Result<std::unique_ptr<OutputDirectory>> create(const std::string& path,
                                                         IfExists if_exists);
  ~OutputDirectory();
  OutputDirectory(const OutputDirectory&) = delete;
  OutputDirectory& operator=(const OutputDirectory&) = delete;

  // Where to write until commit().
  const std::string& path() const { return temporary_; }
  // A file in it, its sub-directories made as needed.
  Result<std::unique_ptr<OutputFile>> file(const std::string& name) const;
  // `mark` becomes the text of kExportMark.
  Status commit(std::string_view mark);

 private:
  OutputDirectory() = default;
  std::string path_, temporary_;
  bool committed_ = false;
};

}  // namespace lockstep::analysis
