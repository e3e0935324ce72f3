// The files of a run: those in its directory, and those of its host directories. A host directory
// is a sub-directory HOST with files of its own name, HOST.*; whatever else lies in a sub-directory
// belongs to somebody else, so that a folder of many runs is none, and a run inside another stays
// its own; so do the folders that lockstep itself keeps in a run, whatever the host is called. Called by whoever reads, recovers, collects or removes a run. Opens no file.
#pragma once

#include <string>
#include <vector>

#include "lockstep/status.h"

namespace lockstep::dumper {

// Folders of a run that are no host's.
constexpr const char* kReservedFolders[] = {"agents", "captures", "clock",    "findings", "logs",
                                            "ras",    "serve",    "snapshot", "summary"};

// Paths of regular files and sockets, sorted within each directory, its own first. The error is for
// a directory that cannot be read.
Result<std::vector<std::string>> run_files(const std::string& run_directory);

// Whether this directory, by its name and its segments, or by what its processes hold in memory, is one host's part of the
// run above it.
bool is_host_directory(const std::string& path);

// Segments, clock records and host loads, by their names: what is left of a run when its processes are
// gone.
bool is_recording(const std::string& path);

std::string parent_of(const std::string& path);

}  // namespace lockstep::dumper
