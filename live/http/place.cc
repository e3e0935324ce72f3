#include "live/http/place.h"

#define XXH_INLINE_ALL
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace lockstep::serve {
namespace {

std::string cache_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && cache[0] == '/') return cache;
  const char* home = std::getenv("HOME");
  return (home == nullptr ? std::string("/tmp") : std::string(home)) + "/.cache";
}

// Ours, and nobody else's to write.
bool is_ours(const std::string& folder) {
  struct stat facts {};
  return lstat(folder.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) &&
         facts.st_uid == geteuid() && (facts.st_mode & 022) == 0;
}

bool make(const std::string& folder) {
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return false;
  return is_ours(folder) && access(folder.c_str(), W_OK) == 0;
}

}  // namespace

std::string own_place(const std::string& run, const std::string& name) { return run + "/" + name; }

std::string cache_place(const std::string& run, const std::string& name) {
  char number[24];
  std::snprintf(number, sizeof(number), "%016llx",
                static_cast<unsigned long long>(XXH3_64bits(run.data(), run.size())));
  return cache_folder() + "/lockstep/" + number + "/" + name;
}

Result<std::string> place_beside(const std::string& run, const std::string& name) {
  const std::string own = own_place(run, name);
  if (make(own)) return own;
  auto cache = place_in_cache(run, name);
  if (cache.ok()) return cache;
  return Status::error(own + " cannot be a folder of this user's, and " + cache.message());
}

Result<std::string> place_in_cache(const std::string& owner, const std::string& name) {
  const std::string cache = cache_place(owner, name);
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(cache).parent_path(), error);
  if (!error && make(cache)) return cache;
  return Status::error(cache + " cannot be a folder of this user's: " + std::strerror(errno));
}

}  // namespace lockstep::serve
