#include "dumper/run/run_files.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "base/text.h"

namespace lockstep::dumper {
namespace {

constexpr size_t kMaxEntries = 1'000'000;

struct Listing {
  std::vector<std::string> files, directories;
};

Status list(const std::string& path, Listing* out) {
  DIR* directory = ::opendir(path.c_str());
  if (directory == nullptr) {
    return Status::error(path + ": cannot read the directory: " + std::strerror(errno));
  }
  while (const dirent* entry = ::readdir(directory)) {
    const std::string name = entry->d_name;
    if (name == "." || name == ".." || out->files.size() + out->directories.size() >= kMaxEntries)
      continue;
    const std::string full = path + "/" + name;
    struct stat facts;
    if (::lstat(full.c_str(), &facts) != 0) continue;
    if (S_ISDIR(facts.st_mode)) out->directories.push_back(full);
    if (S_ISREG(facts.st_mode) || S_ISSOCK(facts.st_mode)) out->files.push_back(full);
  }
  ::closedir(directory);
  std::sort(out->files.begin(), out->files.end());
  std::sort(out->directories.begin(), out->directories.end());
  return Status();
}

bool is_reserved(const std::string& directory) {
  const std::string name = base_name(directory);
  return std::any_of(std::begin(kReservedFolders), std::end(kReservedFolders),
                     [&](const char* reserved) { return name == reserved; });
}

std::vector<std::string> files_of_host(const std::string& directory) {
  Listing all;
  std::vector<std::string> files;
  if (is_reserved(directory) || !list(directory, &all).ok()) return files;
  const std::string begin = base_name(directory) + ".";
  for (std::string& file : all.files) {
    if (base_name(file).rfind(begin, 0) == 0) files.push_back(std::move(file));
  }
  return files;
}

}  // namespace

std::string parent_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

Result<std::vector<std::string>> run_files(const std::string& run_directory) {
  Listing top;
  const Status status = list(run_directory, &top);
  if (!status.ok()) return status;
  std::vector<std::string> files = std::move(top.files);
  for (const std::string& directory : top.directories) {
    for (std::string& file : files_of_host(directory)) files.push_back(std::move(file));
  }
  return files;
}

bool is_recording(const std::string& path) {
  return has_ending(path, ".lks") || has_ending(path, ".clock") || has_ending(path, ".load");
}

bool is_host_directory(const std::string& path) {
  const std::vector<std::string> files = files_of_host(path);
  return std::any_of(files.begin(), files.end(), [](const std::string& file) {
    return has_ending(file, ".lks") || has_ending(file, ".arena");
  });
}

}  // namespace lockstep::dumper
