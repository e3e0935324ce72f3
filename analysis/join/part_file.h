// One process, read and joined on one node, in a file for another node to merge: what
// `lockstep part` leaves for `--srun`. Lives for minutes between two processes of the same lockstep
// on the same kind of machine, so it is the plain memory of the rows, with a checksum and the sizes
// of the rows against mistakes. Any thread.
#pragma once

#include <memory>
#include <string>

#include "analysis/join/loaded_process.h"
#include "lockstep/status.h"

namespace lockstep::analysis {

enum class PartRows { All, NoOperations };  // NoOperations: enough for stream_process()

constexpr const char* kPartSuffix = ".part";

// Appears whole or not at all.
Status write_part(const LoadedProcess& process, const std::string& path);
Result<std::unique_ptr<LoadedProcess>> read_part(const std::string& path, PartRows rows);

}  // namespace lockstep::analysis
