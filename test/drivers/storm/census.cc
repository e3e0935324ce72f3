#include "test/drivers/storm/census.h"

#include <dirent.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>

namespace lockstep::driver {
namespace {

int count_entries(const char* path) {
  int count = 0;
  DIR* directory = opendir(path);
  if (directory == nullptr) return -1;
  while (const dirent* entry = readdir(directory)) count += entry->d_name[0] != '.';
  closedir(directory);
  return count;
}

int count_lines(const char* path) {
  int count = 0;
  std::FILE* file = std::fopen(path, "r");
  if (file == nullptr) return -1;
  for (int c = 0; (c = std::fgetc(file)) != EOF;) count += c == '\n';
  std::fclose(file);
  return count;
}

// Anonymous and shared memory that is there; not the pages of programs and files.
long memory_kib() {
  long kib = 0;
  char line[128];
  std::FILE* file = std::fopen("/proc/self/status", "r");
  if (file == nullptr) return -1;
  while (std::fgets(line, sizeof(line), file) != nullptr) {
    long value = 0;
    if (std::sscanf(line, "RssAnon: %ld", &value) == 1 ||
        std::sscanf(line, "RssShmem: %ld", &value) == 1) {
      kib += value;
    }
  }
  std::fclose(file);
  return kib;
}

}  // namespace

Census take_census() {
  malloc_trim(0);
  rlimit usual{};
  getrlimit(RLIMIT_NOFILE, &usual);
  const rlimit more = {usual.rlim_max, usual.rlim_max};
  setrlimit(RLIMIT_NOFILE, &more);
  const Census census = {count_entries("/proc/self/task"), count_entries("/proc/self/fd"),
                         count_lines("/proc/self/maps"), memory_kib()};
  setrlimit(RLIMIT_NOFILE, &usual);
  return census;
}

Census take_last_census(const Census& first) {
  constexpr int kMostLooks = 1000, kApartUs = 10'000;
  Census census = take_census();
  for (int look = 0; look < kMostLooks && census.threads > first.threads; ++look) {
    usleep(kApartUs);
    census = take_census();
  }
  return census;
}

std::string to_json(const Census& census) {
  return "{\"threads\":" + std::to_string(census.threads) +
         ",\"files\":" + std::to_string(census.files) +
         ",\"mappings\":" + std::to_string(census.mappings) +
         ",\"memory_kib\":" + std::to_string(census.memory_kib) + "}";
}

}  // namespace lockstep::driver
