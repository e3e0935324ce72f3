#include "plugin/process/load_options.h"

#include <algorithm>
#include <cstdlib>

namespace lockstep::plugin {

hostload::HostLoadOptions load_options(const ArenaHeader& arena, const std::string& arena_path,
                                       const dumper::Config& config) {
  hostload::HostLoadOptions options;
  options.sampler.host = arena.host;
  options.sampler.run_directory = arena.run_dir;
  options.sampler.gpus = config.flag(Option::GpuState);
  // Where the memory files of other processes lie: those that started when there was less room chose
  // another folder (plugin/record/arena.cc).
  const char* tmp = std::getenv("TMPDIR");
  const std::string own = arena_path.substr(0, arena_path.rfind('/'));
  for (const std::string& folder :
       {own, std::string(config.text(Option::ShmDir)), std::string("/dev/shm"),
        std::string(tmp == nullptr ? "/tmp" : tmp)}) {
    auto& folders = options.sampler.memory_folders;
    if (!folder.empty() && std::find(folders.begin(), folders.end(), folder) == folders.end())
      folders.push_back(folder);
  }
  return options;
}

}  // namespace lockstep::plugin
