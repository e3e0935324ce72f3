#include "test/drivers/churn/footprint.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>

namespace lockstep::driver {
namespace {

constexpr int kLookMs = 100;
constexpr int kStillLooks = 80;
constexpr int kMostLooks = 1200;

// Without those that opendir itself needs.
uint64_t entries(const char* path) {
  DIR* directory = opendir(path);
  if (directory == nullptr) return 0;
  uint64_t count = 0;
  while (const dirent* entry = readdir(directory)) count += entry->d_name[0] != '.';
  closedir(directory);
  return count;
}

// Those that stay open: threads of the plugin open a file now and then and close it again.
uint64_t lasting_handles() {
  constexpr int kLooks = 20, kApartMs = 10;
  uint64_t fewest = entries("/proc/self/fd");
  for (int look = 1; look < kLooks; ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(kApartMs));
    fewest = std::min(fewest, entries("/proc/self/fd"));
  }
  return fewest;
}

}  // namespace

std::string Footprint::json() const {
  return "{\"memory_kb\":" + std::to_string(memory_kb) + ",\"handles\":" + std::to_string(handles) +
         ",\"threads\":" + std::to_string(threads) + ",\"mappings\":" + std::to_string(mappings) +
         "}";
}

Footprint footprint_now() {
  Footprint now;
  std::ifstream status("/proc/self/status"), maps("/proc/self/maps");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmRSS:", 0) == 0) now.memory_kb = std::stoull(line.substr(6));
  }
  for (std::string line; std::getline(maps, line);) ++now.mappings;
  now.handles = entries("/proc/self/fd");
  now.threads = entries("/proc/self/task");
  return now;
}

Footprint footprint_at_rest() {
  Footprint last = footprint_now();
  for (int look = 0, still = 0; look < kMostLooks && still < kStillLooks; ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(kLookMs));
    const Footprint now = footprint_now();
    still = now.memory_kb == last.memory_kb ? still + 1 : 0;
    last = now;
  }
  last.handles = lasting_handles();
  return last;
}

Footprint footprint_down_to(uint64_t memory_kb) {
  Footprint now = footprint_now();
  for (int look = 0; look < kMostLooks && now.memory_kb > memory_kb; ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(kLookMs));
    now = footprint_now();
  }
  now.handles = lasting_handles();
  return now;
}

}  // namespace lockstep::driver
