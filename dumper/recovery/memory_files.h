// The memory files of this host (lockstep/shared_blocks.h): where they lie, and which process and run
// the head of each names. Reads some 1,500 bytes of each and nothing that other threads write to; for
// all of one, see arena_file.h. Used by recovery and by whoever looks for recording processes. Such a
// file may be cut short or hold anything. Any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dumper/run/process_state.h"

namespace lockstep::dumper {

// Paths, of every user's, by their names: /dev/shm, /tmp, TMPDIR and LOCKSTEP_SHM_DIR.
std::vector<std::string> memory_files();

struct MemoryFile {
  std::string path;
  ProcessIdentity process;
  uint64_t process_uid = 0;
  std::string run_directory;  // absolute
};
// Nothing for a file that is another user's, or no memory file of this kind of machine.
std::optional<MemoryFile> read_memory_file(const std::string& path);

// The part of the path that is there with links resolved, the rest as it stands: a process that
// died before its first dump left no directory.
std::string real_path(std::string path);

}  // namespace lockstep::dumper
