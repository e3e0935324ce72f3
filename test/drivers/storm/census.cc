#include "test/drivers/storm/census.h"

#include <dirent.h>

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

}  // namespace

Census take_census() {
  return {count_entries("/proc/self/task"), count_entries("/proc/self/fd"),
          count_lines("/proc/self/maps")};
}

std::string to_json(const Census& census) {
  return "{\"threads\":" + std::to_string(census.threads) +
         ",\"files\":" + std::to_string(census.files) +
         ",\"mappings\":" + std::to_string(census.mappings) + "}";
}

}  // namespace lockstep::driver
