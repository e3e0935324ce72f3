#include "plugin/process/snapshot_wish.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace lockstep::plugin {

void SnapshotWish::prepare(std::string directory) {
  directory_ = std::move(directory);
  const bool is_watched = access((directory_ + "/run.json").c_str(), F_OK) == 0 ||
                          access((directory_ + "/agents").c_str(), F_OK) == 0;
  if (is_watched) state_.store(State::None, std::memory_order_relaxed);
}

void SnapshotWish::end_round(const dumper::Round& round) {
  State made = State::Made;
  if (!state_.compare_exchange_strong(made, State::Told, std::memory_order_relaxed)) return;
  const std::string path = directory_ + "/snapshot.wanted";
  // Of a run's processes the first one asks.
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return;
  char text[160];
  const int size =
      std::snprintf(text, sizeof(text), "%s %u\n", round.arena->host, round.arena->pid);
  // Who reads it needs its name alone.
  if (size > 0 && write(file, text, static_cast<size_t>(size)) != size) unlink(path.c_str());
  close(file);
}

}  // namespace lockstep::plugin
