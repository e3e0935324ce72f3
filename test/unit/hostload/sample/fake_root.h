// A folder that stands before /proc and /sys, with the files a test puts there.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace lockstep::hostload {

class FakeRoot {
 public:
  FakeRoot() { path_ = mkdtemp(name_); }
  ~FakeRoot() { std::filesystem::remove_all(path_); }
  FakeRoot(const FakeRoot&) = delete;
  FakeRoot& operator=(const FakeRoot&) = delete;

  const std::string& path() const { return path_; }
  void put(const std::string& file, const std::string& text) const {
    const std::filesystem::path full = path_ + file;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full) << text;
  }

 private:
  char name_[32] = "/tmp/lockstep-root-XXXXXX";
  std::string path_;
};

}  // namespace lockstep::hostload
