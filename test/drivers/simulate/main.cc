// lockstep-simulate: training jobs at virtual time, recorded as the plugin would.
#include <malloc.h>

#include <climits>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "test/drivers/simulate/command_line.h"
#include "test/drivers/simulate/fault.h"
#include "test/drivers/simulate/noise.h"
#include "test/drivers/simulate/run.h"
#include "test/drivers/simulate/schedule.h"

namespace lockstep::simulate {
namespace {

constexpr int kUsage = 2, kBadInput = 3;

int complain(int status, const std::string& sentence) {
  fprintf(stderr, "lockstep-simulate: %s\n", sentence.c_str());
  return status;
}

void list() {
  puts("classes:");
  for (const FaultInfo& info : fault_classes())
    printf("  %-18s %s (SIZE %g)\n", info.name, info.help, info.size);
  puts("schedules:");
  for (const ScheduleInfo& info : schedules()) printf("  %-18s %s\n", info.name, info.help);
  puts("noise:");
  for (const NoiseInfo& info : noises()) printf("  %-18s %s\n", info.name, info.help);
}

int simulate(const Arguments& arguments) {
  RunOptions run = arguments.run;
  if (run.directory.empty()) return complain(kUsage, "name the new run directory");
  const bool several = arguments.count != 0;
  for (int i = 0; i < (several ? arguments.count : 1); ++i) {
    run.seed = arguments.run.seed + static_cast<uint64_t>(i);
    if (several) run.directory = arguments.run.directory + "/" + std::to_string(run.seed);
    bool fits = false;
    const Status status = simulate_run(run, &fits);
    if (!status.ok()) return complain(fits ? kBadInput : kUsage, status.message());
  }
  return 0;
}

// Runs are alike: what one gave back to the system the next would take again, page by page.
void keep_memory() {
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_MMAP_THRESHOLD, INT_MAX);
}

// Each line is a command line of its own; empty ones and those that begin with # are left out.
int simulate_batch(const std::string& path) {
  std::ifstream file(path);
  if (!file) return complain(kBadInput, path + ": cannot be read");
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    std::istringstream parts(line);
    std::vector<std::string> words;
    for (std::string word; parts >> word;) words.push_back(word);
    if (words.empty() || words[0][0] == '#') continue;
    Arguments arguments;
    auto status = parse(words, &arguments);
    if (!status) status = simulate(arguments);
    if (*status != 0)
      return complain(*status, path + ":" + std::to_string(number) + ": this run failed");
  }
  return 0;
}

int run(int argc, char** argv) {
  Arguments arguments;
  if (const auto status = parse({argv + 1, argv + argc}, &arguments)) return *status;
  if (arguments.list) return list(), 0;
  keep_memory();
  return arguments.batch.empty() ? simulate(arguments) : simulate_batch(arguments.batch);
}

}  // namespace
}  // namespace lockstep::simulate

int main(int argc, char** argv) { return lockstep::simulate::run(argc, argv); }
