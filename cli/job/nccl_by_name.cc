#include "cli/job/nccl_by_name.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <vector>

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kByNameOnly = "2.27.3";

std::vector<fs::path> folders_in(const char* variable) {
  std::vector<fs::path> folders;
  const char* value = getenv(variable);
  std::istringstream list(value != nullptr ? value : "");
  for (std::string folder; std::getline(list, folder, ':');) {
    if (!folder.empty()) folders.emplace_back(folder);
  }
  return folders;
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::string find_library() {
  for (const fs::path& folder : folders_in("LD_LIBRARY_PATH")) {
    std::error_code error;
    const fs::path library = fs::canonical(folder / "libnccl.so.2", error);
    if (!error && ends_with(library.filename(), std::string(".so.") + kByNameOnly))
      return library.string();
  }
  return {};
}

std::vector<fs::path> python_environments() {
  std::vector<fs::path> prefixes;
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const char* value = getenv(variable);
    if (value != nullptr && value[0] != '\0') prefixes.emplace_back(value);
  }
  for (const fs::path& folder : folders_in("PATH")) {
    std::error_code error;
    if (!fs::exists(folder / "python3", error)) continue;
    prefixes.push_back(folder.parent_path());
    break;
  }
  return prefixes;
}

// nvidia_nccl_cu12-2.27.3.dist-info and its like, where pip puts it.
std::string find_package(const fs::path& prefix) {
  std::error_code error;
  for (const fs::directory_entry& python : fs::directory_iterator(prefix / "lib", error)) {
    if (python.path().filename().string().rfind("python3", 0) != 0) continue;
    for (const char* packages : {"site-packages", "dist-packages"}) {
      std::error_code none;
      for (const fs::directory_entry& package :
           fs::directory_iterator(python.path() / packages, none)) {
        const std::string name = package.path().filename().string();
        if (name.rfind("nvidia_nccl_", 0) == 0 &&
            ends_with(name, std::string("-") + kByNameOnly + ".dist-info"))
          return package.path().string();
      }
    }
  }
  return {};
}

}  // namespace

std::string find_nccl_by_name_only() {
  std::string found = find_library();
  for (const fs::path& prefix : python_environments()) {
    if (found.empty()) found = find_package(prefix);
  }
  return found;
}

}  // namespace lockstep::cli
