#include "analysis/export/output_directory.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace lockstep::analysis {
namespace {

namespace fs = std::filesystem;

Status failed(const std::string& what, int error) {
  return Status::error(what + ": " + std::strerror(error));
}

std::string without_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

bool exists(const std::string& path) {
  struct stat found;
  return lstat(path.c_str(), &found) == 0;
}

Status refusal(const std::string& path) {
  return Status::error(path + " exists; give another path, or --force to replace it");
}

Status may_replace_directory(const std::string& path) {
  std::error_code error;
  const bool ours = fs::exists(fs::path(path) / kExportMark, error);
  const bool empty = fs::is_directory(path, error) && fs::is_empty(path, error);
  if (ours || empty) return {};
  return Status::error(path + " was not made by an export (it has no " + kExportMark +
                       "), so it is not replaced; remove it yourself or give another path");
}

}  // namespace

Result<std::unique_ptr<OutputDirectory>> OutputDirectory::create(const std::string& path,
                                                                 IfExists if_exists) {
  std::unique_ptr<OutputDirectory> out(new OutputDirectory);
  out->path_ = without_slash(path);
  if (exists(out->path_)) {
    if (if_exists == IfExists::Refuse) return refusal(out->path_);
    const Status may = may_replace_directory(out->path_);
    if (!may.ok()) return may;
  }
  const std::string temporary = out->path_ + ".part-" + std::to_string(getpid());
  std::error_code error;
  fs::remove_all(temporary, error);  // of an earlier process with this pid
  if (mkdir(temporary.c_str(), 0755) != 0) return failed("cannot make " + out->path_, errno);
  out->temporary_ = temporary;
  return out;
}

OutputDirectory::~OutputDirectory() {
  std::error_code error;
  if (!committed_ && !temporary_.empty()) fs::remove_all(temporary_, error);
}

Result<std::unique_ptr<OutputFile>> OutputDirectory::file(const std::string& name) const {
  const fs::path path = fs::path(temporary_) / name;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) return failed("cannot make " + path.parent_path().string(), error.value());
  return OutputFile::create(path.string(), IfExists::Refuse);
}

Status OutputDirectory::commit(std::string_view mark) {
  auto mark_file = file(kExportMark);
  if (!mark_file.ok()) return mark_file.status();
  mark_file.value()->write(mark);
  Status written = mark_file.value()->commit();
  if (!written.ok()) return written;
  const std::string old = path_ + ".old-" + std::to_string(getpid());
  const bool replaces = exists(path_) && may_replace_directory(path_).ok();
  if (replaces && rename(path_.c_str(), old.c_str()) != 0)
    return failed("cannot replace " + path_, errno);
  const int error = rename_to_new(temporary_, path_);
  if (error != 0) {
    if (replaces && rename(old.c_str(), path_.c_str()) != 0)
      return failed(path_ + " is now called " + old + ", and cannot be replaced", error);
    return error == EEXIST ? refusal(path_) : failed("cannot write " + path_, error);
  }
  committed_ = true;
  std::error_code ignored;
  if (replaces) fs::remove_all(old, ignored);
  return {};
}

}  // namespace lockstep::analysis
