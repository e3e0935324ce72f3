// Abuses a plugin and sees whether the process survives.
//
//   lockstep-abuse --list
//   lockstep-abuse PLUGIN --table N --scenario NAME
//   lockstep-abuse PLUGIN --table N --random SEED [--threads 4] [--operations 100000]
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "test/drivers/abuse/abuse.h"

namespace {

using namespace lockstep::driver;

int usage() {
  std::fprintf(
      stderr,
      "usage: lockstep-abuse --list | PLUGIN --table 1..7 (--scenario NAME | --random SEED)\n"
      "       [--threads N] [--operations N]\n");
  return 2;
}

int run_scenario(Victim& victim, const std::string& name) {
  for (const auto* scenarios : {&kCallScenarios, &kProcessScenarios}) {
    for (const Scenario& scenario : *scenarios) {
      if (name != scenario.name) continue;
      scenario.run(victim);
      return 0;
    }
  }
  std::fprintf(stderr, "no scenario %s; --list names them\n", name.c_str());
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  std::string plugin, scenario;
  int table = 7;
  uint64_t seed = 0, operations = 100000;
  unsigned threads = 4;
  bool random = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--list") {
      for (const Scenario& s : kCallScenarios) std::puts(s.name);
      for (const Scenario& s : kProcessScenarios) std::puts(s.name);
      return 0;
    }
    if (word.rfind("--", 0) != 0) {
      plugin = word;
      continue;
    }
    if (++i >= argc) return usage();
    if (word == "--table")
      table = std::atoi(argv[i]);
    else if (word == "--scenario")
      scenario = argv[i];
    else if (word == "--random")
      random = true, seed = std::strtoull(argv[i], nullptr, 10);
    else if (word == "--threads")
      threads = static_cast<unsigned>(std::atoi(argv[i]));
    else if (word == "--operations")
      operations = std::strtoull(argv[i], nullptr, 10);
    else
      return usage();
  }
  if (plugin.empty() || table < 1 || table > 7 || (scenario.empty() && !random)) return usage();
  setenv("NCCL_PROFILER_PLUGIN", plugin.c_str(), 1);
  Victim victim(plugin, table);
  if (random) return random_calls(victim, seed, threads, operations), 0;
  return run_scenario(victim, scenario);
}
