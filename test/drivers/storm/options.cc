#include "test/drivers/storm/options.h"

#include <cstdio>

namespace lockstep::driver {

bool parse(int argc, char** argv, Options* options) {
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--latency" || name == "--unnamed" || name == "--fork") {
      (name == "--latency"   ? options->latency
       : name == "--unnamed" ? options->unnamed
                             : options->fork_child) = true;
      continue;
    }
    if (name.rfind("--", 0) != 0) {
      options->plugin = name;
      continue;
    }
    if (++i >= argc) return false;
    const char* value = argv[i];
    if (name == "--threads")
      options->threads = static_cast<unsigned>(std::stoul(value));
    else if (name == "--comms")
      options->comms = static_cast<unsigned>(std::stoul(value));
    else if (name == "--steps")
      options->steps = static_cast<unsigned>(std::stoul(value));
    else if (name == "--operations")
      options->operations = std::stoull(value);
    else if (name == "--seconds")
      options->seconds = std::stod(value);
    else if (name == "--rate")
      options->rate = std::stod(value);
    else if (name == "--generations")
      options->generations = static_cast<unsigned>(std::stoul(value));
    else if (name == "--until")
      options->until = value;
    else if (name == "--truth")
      options->truth = value;
    else if (name == "--end")
      options->end = value;
    else
      return false;
  }
  if (options->end == "exit-amid-calls" && (options->operations == 0 || !options->until.empty()))
    return false;
  return !options->plugin.empty() && options->comms > 0;
}

void print_usage() {
  std::fprintf(
      stderr,
      "usage: lockstep-storm PLUGIN [--threads N] [--operations N | --seconds S] "
      "[--steps N] [--rate N]\n"
      "       [--comms N] [--generations N] [--until FILE] [--truth FILE] [--latency] [--end "
      "finalize|exit|exit-amid-calls|wait]\n");
}

}  // namespace lockstep::driver
